import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

import { pingRedis } from "../support/redis-ping.ts";
import { redisServerPath } from "../support/redis-server.ts";

/** The tests run against a real Redis: this finds one, or gets one, or says how to. */
async function ensureRedis(): Promise<void> {
  const url = process.env["REDIS_URL"];
  if (url) {
    await pingRedis(url).catch((error: Error) =>
      fail(`REDIS_URL is set, but no Redis answers there: ${error.message}`),
    );
    return;
  }
  if (redisServerPath()) return;

  const apt = existsSync("/usr/bin/apt-get");
  if (!apt || process.getuid?.() !== 0) {
    const install = apt
      ? "sudo apt-get update && sudo apt-get install -y redis-server"
      : process.platform === "darwin"
        ? "brew install redis"
        : "your system's package manager (package redis or redis-server)";
    fail(`The tests need redis-server on the PATH. Install it with:\n\n  ${install}\n
or set REDIS_URL to a Redis 7 that may be written to.`);
  }

  console.log("redis-server is not on the PATH: installing it with apt-get");
  run("apt-get", "update");
  run("apt-get", "install", "-y", "redis-server");
  if (!redisServerPath()) fail("redis-server was installed, but is not on the PATH.");
}

function run(command: string, ...args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status } = spawnSync(command, args, { stdio: "inherit", env });
  if (status !== 0) fail(`${command} ${args.join(" ")} failed.`);
}

function fail(message: string): never {
  console.error(`\n${message}\n`);
  process.exit(1);
}

await ensureRedis();
