import { spawn } from "node:child_process";

/** The end of a program, and its output. */
export interface Ended {
  readonly status: "passed" | "failed" | "timeout";
  readonly output: string;
}

/** A mutant may make a loop endless: then its tests end here, in milliseconds. */
const PATIENCE_MS = 300_000;

/**
 * Runs Node in a folder. It is ended together with all that it has started: a process in an endless loop handles no other signal.
 */
export function runNode(cwd: string, args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd,
      detached: true,
      // As many random runs as `npm run test:stress` makes: a short form notices less.
      env: { TEST_RUNS: "1", ...process.env, NO_COLOR: "1" },
    });
    const stop = () => {
      try {
        process.kill(-child.pid!, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    };
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      stop();
    }, PATIENCE_MS);
    process.on("exit", stop);
    let output = "";
    child.stdout.on("data", (data) => (output += data));
    child.stderr.on("data", (data) => (output += data));
    child.on("close", (code) => {
      clearTimeout(timer);
      process.off("exit", stop);
      if (isLate) resolve({ status: "timeout", output });
      else resolve({ status: code === 0 ? "passed" : "failed", output });
    });
  });
}
