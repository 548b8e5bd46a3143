import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Redis } from "ioredis";
import { describe, expect, onTestFinished, test } from "vitest";

import { startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { freePort } from "../../scripts/support/free-port.ts";
import { redisServerPath, startRedisServer } from "../../scripts/support/redis-server.ts";
import { startAddress } from "../support/redis-address.ts";
import { ask, result, token, until } from "../support/redis-rest/harness.ts";

async function startServer() {
  const server = await startRedisServer();
  onTestFinished(() => server.stop());
  return server;
}

test("after a failover behind one address the bridge finds the new master by itself", async () => {
  const [first, second] = await Promise.all([startServer(), startServer()]);
  const address = await startAddress(first);
  const bridge = await startBridge({ redis: address.url, port: 0, token });
  onTestFinished(() => bridge.close());
  expect(await ask(bridge, ["SET", "k", "1"])).toEqual(result("OK"));
  const demoted = new Redis(first.url);
  onTestFinished(() => demoted.disconnect());
  await demoted.replicaof("127.0.0.1", second.port);
  address.pointAt(second);
  expect(await ask(bridge, ["SET", "k", "2"])).toMatchObject({
    status: 400,
    body: { error: expect.stringMatching(/^READONLY /) },
  });
  await until(async () => (await ask(bridge, ["SET", "k", "3"])).status === 200, 5_000);
  const promoted = new Redis(second.url);
  onTestFinished(() => promoted.disconnect());
  expect(await promoted.get("k")).toBe("3");
});

test("where the address names a replica, writes to it end no connection again and again", async () => {
  const [master, replica] = await Promise.all([startServer(), startServer()]);
  const direct = new Redis(replica.url);
  onTestFinished(() => direct.disconnect());
  await direct.replicaof("127.0.0.1", master.port);
  const address = await startAddress(replica);
  const bridge = await startBridge({ redis: address.url, port: 0, token });
  onTestFinished(() => bridge.close());
  for (let write = 0; write < 50; write++) await ask(bridge, ["SET", "k", "1"]);
  expect(address.connections()).toBeLessThanOrEqual(3);
});

describe("a Redis that loads its data set", () => {
  test("is answered for with 503, and served when it has", async () => {
    const folder = mkdtempSync(join(tmpdir(), "loading-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const port = await freePort();
    const begin = (...args: string[]) => {
      const here = ["--port", `${port}`, "--dir", folder, "--save", ""];
      const child = spawn(redisServerPath()!, [...here, ...args]);
      const ended = new Promise((resolve) => child.once("exit", resolve));
      onTestFinished(async () => {
        child.kill("SIGKILL");
        await ended;
      });
      return { child, ended };
    };
    const before = begin();
    const redis = new Redis(port, { retryStrategy: () => 50 });
    redis.on("error", () => {});
    await redis.mset(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, "v"])));
    await redis.save();
    redis.disconnect();
    before.child.kill("SIGKILL");
    await before.ended;
    // 300 keys at 50 ms each.
    begin("--key-load-delay", "50000", "--loading-process-events-interval-bytes", "1024");
    const bridge = await startBridge({ redis: `redis://127.0.0.1:${port}`, port: 0, token });
    onTestFinished(() => bridge.close());
    expect(bridge.connected).toBe(false);
    expect(await ask(bridge, ["GET", "k1"])).toMatchObject({
      status: 503,
      body: { error: expect.stringContaining("The command was not sent") },
    });
    const direct = new Redis(port, { enableReadyCheck: false });
    direct.on("error", () => {});
    onTestFinished(() => direct.disconnect());
    expect(await direct.info("persistence")).toContain("loading:1");
    await direct.config("SET", "key-load-delay", 0);
    await until(async () => (await ask(bridge, ["GET", "k1"])).status === 200, 20_000);
    expect(await ask(bridge, ["GET", "k299"])).toEqual(result("v"));
  });
});
