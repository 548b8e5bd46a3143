import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { onTestFinished } from "vitest";

const program = fileURLToPath(new URL("gateway-process.ts", import.meta.url));

export interface GatewayProcess {
  /** Asks it; `undefined` if it does not answer. */
  ask(path: string, ip?: string): Promise<number | undefined>;
  /** Has it write its counts. */
  write(): Promise<void>;
  /** Sends it a signal, and waits until it has ended; returns its exit code, `null` if the signal ended it. */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<number | null>;
}

export async function startGatewayProcess(
  variables: Readonly<Record<string, string>>,
): Promise<GatewayProcess> {
  const child: ChildProcess = fork(program, { env: variables, execArgv: [] });
  const ended = once(child, "exit");
  onTestFinished(() => void child.kill("SIGKILL"));
  const [port] = (await once(child, "message")) as [number];

  return {
    async ask(path, ip = "192.0.2.1") {
      try {
        const headers = { "cf-connecting-ip": ip };
        const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
        await response.arrayBuffer();
        return response.status;
      } catch {
        return undefined;
      }
    },

    async write() {
      const written = once(child, "message");
      child.send("write");
      await written;
    },

    async end(signal) {
      child.kill(signal);
      const [code] = (await ended) as [number | null];
      return code;
    },
  };
}
