import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";

import { Redis } from "ioredis";
import { expect, test } from "vitest";

import { freePort } from "../../scripts/support/free-port.ts";
import { pingRedis } from "../../scripts/support/redis-ping.ts";
import { redisServerPath, startRedisServer } from "../../scripts/support/redis-server.ts";

const scripts = new URL("../../scripts/support/", import.meta.url);
const gone = (url: string) => () =>
  pingRedis(url).then(
    () => false,
    () => true,
  );

test("it is found on the PATH", () => {
  expect(redisServerPath()).toMatch(/\/redis-server$/);
});

test("it keeps nothing, and its port can be used again", async () => {
  const first = await startRedisServer();
  expect(first.url).toBe(`redis://127.0.0.1:${first.port}`);
  expect(await pingRedis(first.url)).toEqual({ pid: first.pid });
  const redis = new Redis(first.url);
  await redis.set("k", "v");
  expect(await redis.config("GET", "save")).toEqual(["save", ""]);
  const [, dir] = (await redis.config("GET", "dir")) as [string, string];
  redis.disconnect();
  await first.stop();
  expect(readdirSync(tmpdir()).map((name) => `${tmpdir()}/${name}`)).not.toContain(dir);

  const second = await startRedisServer({ port: first.port });
  const again = new Redis(second.url);
  expect(await again.dbsize()).toBe(0);
  again.disconnect();
  await second.stop();
  await second.stop();
});

test("a port that another server has is an error", async () => {
  const first = await startRedisServer();
  // Its end and the answer of the other are a race, so that one try would show little.
  for (let again = 0; again < 20; again++) {
    await expect(startRedisServer({ port: first.port })).rejects.toThrow(
      /Address already in use|another server is at/,
    );
  }
  expect(await pingRedis(first.url)).toEqual({ pid: first.pid });
  await first.stop();
});

test.each(["SIGKILL", "SIGTERM"])("it ends with its parent, even by %s", async (signal) => {
  const parent = spawn(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      `import { startRedisServer } from ${JSON.stringify(`${scripts}redis-server.ts`)};
       const { url } = await startRedisServer();
       console.log(url);
       process.kill(process.pid, "${signal}");`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const [chunk] = await once(parent.stdout, "data");
  await expect.poll(gone(String(chunk).trim()), { timeout: 2_000 }).toBe(true);
});

test("a REDIS_URL without an answer stops the tests before they start", async () => {
  const url = `redis://127.0.0.1:${await freePort()}`;
  const program = fileURLToPath(new URL("../ensure-redis/main.ts", scripts));
  const env = { ...process.env, REDIS_URL: url };
  const child = spawn(process.execPath, [program], { env, stdio: ["ignore", "ignore", "pipe"] });
  const [[code], text] = await Promise.all([
    once(child, "close"),
    child.stderr.toArray().then((chunks) => Buffer.concat(chunks).toString()),
  ]);
  expect(code).toBe(1);
  expect(text).toContain("REDIS_URL is set, but no Redis answers there: connect ECONNREFUSED");
});
