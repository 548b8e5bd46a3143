import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import type { Mutant } from "./mutant.ts";
import { ROOT } from "./root.ts";

/** A copy of the project that may be broken. */
export interface Sandbox {
  /** @throws with what the tests print, if they fail while nothing is broken */
  expectSound(tests: readonly string[]): Promise<void>;
  /** The first test that notices; `undefined` if none does. */
  firstToNotice(mutant: Mutant): Promise<string | undefined>;
}

/** A mutant may make a loop endless: then its tests end here, in milliseconds. */
const PATIENCE = 300_000;

const LEFT_OUT = new Set(["node_modules", ".git", "dist", ".tmp", ".wrangler"]);
const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");

const FIRST_ONLY = ["--bail", "1"];

/** A promise that nobody waits for may fail after its test: then the run fails, and no test does. */
const failedIn = (output: string) => /^(?: FAIL +|\W+(?=Unhandled ))(.*?)\W*$/m.exec(output)?.[1];

/** The folder of a test names the runtime that it needs. */
const projectOf = (test: string) => /^test\/(workerd|edge)\b/.exec(test)?.[1] ?? "node*";

export function createSandbox(): Sandbox {
  const copy = mkdtempSync(join(tmpdir(), "tidegate-mutants-"));
  process.on("exit", () => rmSync(copy, { recursive: true, force: true }));
  cpSync(ROOT, copy, { recursive: true, filter: (path) => !LEFT_OUT.has(basename(path)) });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));

  const node = (args: readonly string[]) => run(copy, args);
  const test = (tests: readonly string[], ...options: string[]) => {
    const projects = [...new Set(tests.map(projectOf))].flatMap((name) => ["--project", name]);
    return node([vitest, "run", ...projects, ...options, ...tests]);
  };

  /** The first test that fails; `undefined` if none does. */
  async function firstToFail(tests: readonly string[]): Promise<string | undefined> {
    let run = await test(tests, ...FIRST_ONLY);
    // Vitest names no test if it ends at the first failure in one file before another file has begun.
    if (!run.ok && failedIn(run.output) === undefined) run = await test(tests);
    if (run.ok) return undefined;
    const failed = failedIn(run.output);
    if (failed === undefined)
      throw new Error(`no test failed, and yet the run did:\n${run.output}`);
    return failed.replace(/^\S*(?:node|workerd|edge)\S* +/, "");
  }

  return {
    async expectSound(tests) {
      // A machine that stalls once breaks nothing.
      const { ok, output } = await test(tests, ...FIRST_ONLY, "--retry", "2");
      if (!ok) throw new Error(output);
    },

    async firstToNotice({ file, find, replace, tests }) {
      const path = join(copy, file);
      const sound = readFileSync(path, "utf8");
      const build = () =>
        file.startsWith("lua/") ? node(["scripts/build-lua/main.ts"]) : undefined;
      writeFileSync(
        path,
        sound.replace(find, () => replace),
      );
      try {
        await build();
        return await firstToFail(tests);
      } finally {
        writeFileSync(path, sound);
        await build();
      }
    },
  };
}

function run(cwd: string, args: readonly string[]): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd,
      timeout: PATIENCE,
      killSignal: "SIGKILL",
      env: { ...process.env, NO_COLOR: "1" },
    });
    const stop = () => child.kill("SIGKILL");
    process.on("exit", stop);
    let output = "";
    child.stdout.on("data", (data) => (output += data));
    child.stderr.on("data", (data) => (output += data));
    child.on("close", (status, signal) => {
      process.off("exit", stop);
      if (signal === "SIGKILL") output += "\n FAIL  it never ended\n";
      resolve({ ok: status === 0, output });
    });
  });
}
