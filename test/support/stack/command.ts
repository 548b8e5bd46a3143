import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { expect } from "vitest";

import { redisServerPath } from "../../../scripts/support/redis-server.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The output of a command in a terminal. */
export interface Command {
  readonly child: ChildProcess;
  readonly pid: number;
  out(): string;
  err(): string;
  /** The address in the banner's row of this name. */
  address(name: string): string;
  ready(): Promise<void>;
  /** Its status, or the signal that ended it. */
  ended(): Promise<number | NodeJS.Signals | null>;
}

/** Runs a command of its own process group in the project's folder, every port free unless told. */
export function run([program = "", ...args]: readonly string[], environment = {}): Command {
  const child = spawn(program, args, {
    cwd: root,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      // One of its own, where there can be.
      REDIS_URL: redisServerPath() ? undefined : process.env["REDIS_URL"],
      PORT: "0",
      ORIGIN_PORT: "0",
      REDIS_REST_PORT: "0",
      REDIS_REST_TOKEN: "",
      ...environment,
    },
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk) => (out += chunk));
  child.stderr.on("data", (chunk) => (err += chunk));
  const exit = once(child, "close");
  async function shown(pattern: RegExp): Promise<void> {
    while (!pattern.test(out)) await once(child.stdout, "data");
  }
  return {
    child,
    pid: child.pid ?? 0,
    out: () => out,
    // npm's warnings about this machine's settings are not ours.
    err: () => err.replaceAll(/^npm warn .*\n/gm, ""),
    address: (name) => new RegExp(`^  ${name} +(\\S+)`, "m").exec(out)?.[1] ?? "",
    async ready() {
      await Promise.race([shown(/^ready .*$/m), exit]);
      expect(out, err).toMatch(/^ready http:\/\/127\.0\.0\.1:\d+$/m);
    },
    async ended() {
      const [status, signal] = await exit;
      return status ?? signal;
    },
  };
}
