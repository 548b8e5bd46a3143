import { Redis } from "ioredis";
import { describe, expect, inject, onTestFinished, test, vi } from "vitest";

import { startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { startRedisServer } from "../../scripts/support/redis-server.ts";
import { startOlderRedis } from "../cli/doctor/older-redis.ts";
import { gatewayOn, OK, stopClock } from "./health.ts";

stopClock();

const REFUSED = { ...OK, status: "store-unavailable", code: "ERR_STORE_REFUSED" };

/** A Redis of its own that can be made to refuse writes. */
async function startFaulty(args: readonly string[] = []) {
  const server = await startRedisServer({ args });
  const redis = new Redis(server.url, { disableClientInfo: true });
  const bridge = await startBridge({ redis: server.url, port: 0, token: "test" });
  onTestFinished(async () => {
    redis.disconnect();
    await bridge.close();
    await server.stop();
  });
  return { redis, health: gatewayOn(bridge.url) };
}

describe("a Redis that answers and takes no writes is 503 within a second, and 200 within one of its recovery", () => {
  test.each([
    ["full, with noeviction", "maxmemory", /^Redis answered: OOM command not allowed/],
    [
      "short of replicas",
      "min-replicas-to-write",
      /^Redis answered: NOREPLICAS Not enough good replicas to write/,
    ],
  ])("%s", async (_what, setting, detail) => {
    const { redis, health } = await startFaulty(["--maxmemory-policy", "noeviction"]);
    expect((await health())[0]).toBe(200);
    await redis.config("SET", setting, "1");
    vi.advanceTimersByTime(1_000);
    expect(await health()).toEqual([503, { ...REFUSED, detail: expect.stringMatching(detail) }]);
    await redis.config("SET", setting, "0");
    vi.advanceTimersByTime(1_000);
    expect((await health())[0]).toBe(200);
  });

  test("a read-only replica", async () => {
    const { redis, health } = await startFaulty();
    expect((await health())[0]).toBe(200);
    await redis.replicaof("127.0.0.1", 1);
    vi.advanceTimersByTime(1_000);
    const detail = /^Redis answered: READONLY You can't write against a read only replica/;
    expect(await health()).toEqual([503, { ...REFUSED, detail: expect.stringMatching(detail) }]);
    await redis.replicaof("NO", "ONE");
    // The bridge leaves the replica for the server that its address names now, which takes a moment of real time.
    await expect
      .poll(async () => {
        vi.advanceTimersByTime(1_000);
        return (await health())[0];
      })
      .toBe(200);
  });

  test("one before 6.2 says which it is and which it needs", async () => {
    const older = await startOlderRedis(inject("redisUrl"), "test");
    onTestFinished(() => older.close());
    expect(await gatewayOn(older.url, "test", { PREFIX: crypto.randomUUID() })()).toEqual([
      503,
      {
        ...REFUSED,
        detail: "Redis answered: ERR syntax error. Tidegate needs Redis 6.2 or later.",
        version: "6.0.16",
      },
    ]);
  });
});
