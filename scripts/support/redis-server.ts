import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { freePort } from "./free-port.ts";
import { guard } from "./guard.ts";
import { pingRedis } from "./redis-ping.ts";

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Ends it at once, as there is nothing to save. Its port can then be used again. */
  stop(): Promise<void>;
  kill(signal: NodeJS.Signals): void;
}

export interface RedisServerOptions {
  /** Default: a free one. */
  port?: number;
  /** Further redis-server arguments. */
  args?: readonly string[];
  /** Called if it ends without a call of stop(), with its exit code or the signal, such as `SIGKILL`. */
  onEnd?: (how: string) => void;
}

export function redisServerPath(): string | undefined {
  const candidates = (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "redis-server"));
  return candidates.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Starts an empty Redis on loopback that keeps nothing and doesn't outlive this process. */
export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  const binary = redisServerPath();
  if (!binary) throw new Error("redis-server is not on the PATH");
  if (options.port !== undefined) return launch(binary, options.port, options);
  for (let attempt = 1; ; attempt++) {
    try {
      return await launch(binary, await freePort(), options);
    } catch (error) {
      // Another process may have taken the port in the meantime.
      if (attempt === 3) throw error;
    }
  }
}

async function launch(
  binary: string,
  port: number,
  { args = [], onEnd }: RedisServerOptions,
): Promise<RedisServer> {
  const dir = mkdtempSync(join(tmpdir(), "redis-"));
  const fixed = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", dir];
  const memoryOnly = ["--save", "", "--appendonly", "no"];
  const child = spawn(binary, [...fixed, ...memoryOnly, ...args], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const log = keepLog(child);
  guard(child, dir);
  const exited = once(child, "exit").finally(() => rm(dir, { recursive: true, force: true }));
  const url = `redis://127.0.0.1:${port}`;
  let isStopped = false;

  async function stop(): Promise<void> {
    isStopped = true;
    // This process must not exit before the server has ended.
    child.ref();
    child.kill("SIGKILL");
    await exited;
  }

  try {
    const isUp = await Promise.race([answers(url, child), exited.then(() => false)]);
    if (!isUp) {
      await exited;
      throw new Error(`redis-server did not start: ${log()}`);
    }
  } catch (error) {
    await stop().catch(() => {});
    throw error;
  }
  child.once("exit", (code, signal) => isStopped || onEnd?.(signal ?? `exit code ${code}`));
  // A caller that forgets stop() can still exit.
  child.unref();
  (child.stdout as Socket).unref();
  return { url, port, pid: child.pid ?? 0, stop, kill: (signal) => void child.kill(signal) };
}

/** Whether it answers before it ends. The process id tells this server from another that already has the port. */
async function answers(url: string, child: ChildProcess): Promise<boolean> {
  const deadline = Date.now() + 5_000;
  while (child.exitCode === null && child.signalCode === null) {
    const wrong = await pingRedis(url).then(
      ({ pid }) => (pid === child.pid ? undefined : new Error(`another server is at ${url}`)),
      (error: Error) => error,
    );
    if (!wrong) return true;
    if (Date.now() > deadline) throw wrong;
    await sleep(20);
  }
  return false;
}

function keepLog(child: ChildProcess): () => string {
  let log = "";
  child.stdout?.on("data", (chunk) => (log = (log + chunk).slice(-1_000)));
  return () => log.trim();
}
