import { Redis } from "ioredis";
import { describe, expect, inject, onTestFinished, test, vi } from "vitest";

import { startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { startRedisServer } from "../../scripts/support/redis-server.ts";
import { healthCheck } from "../../src/gateway/health.ts";
import { StoreError } from "../../src/options/errors.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import { gatewayTo, generous, quota } from "../support/gateway/gateway.ts";
import { gatewayOn, OK, stopClock } from "./health.ts";

stopClock();

async function startRedisRest(options: Partial<Parameters<typeof startBridge>[0]> = {}) {
  const bridge = await startBridge({
    redis: inject("redisUrl"),
    port: 0,
    token: "test",
    ...options,
  });
  onTestFinished(() => bridge.close());
  return bridge;
}

function faultOf(detail: string, isFatal: boolean) {
  return { code: "rules-missing", detail, isFatal } as const;
}

test.each([
  [200, "ok", "decides", undefined],
  [200, "degraded", "decides", faultOf("the rules have faults", false)],
  [503, "degraded", "decides", faultOf("there are no rules", true)],
  [503, "store-unavailable", "fails", undefined],
  [503, "store-unavailable", "fails", faultOf("late", false)],
] as const)(
  "health is %i and %s where the store %s and the fault of the live rules is %j",
  async (code, status, store, fault) => {
    const memory = openMemoryStore();
    const late = () => Promise.reject(new StoreError("ERR_STORE_TIMEOUT", "late"));
    const asked = store === "fails" ? { ...memory, decide: late } : memory;
    const answer = await healthCheck(asked, "tg", Date.now, () => fault)();
    expect(answer.status).toBe(code);
    expect(await answer.json()).toMatchObject({ status, ...(fault && { detail: fault.detail }) });
  },
);

describe("/_tidegate/health", () => {
  test("is 200 while decisions come from Redis, and asks once a second however often it is asked", async () => {
    const bridge = await startRedisRest();
    const health = gatewayOn(bridge.url);
    expect(await health()).toEqual([200, OK]);
    // The first look may have to send the script.
    const first = bridge.requests;
    vi.advanceTimersByTime(999);
    for (let i = 0; i < 20; i++) expect(await health()).toEqual([200, OK]);
    expect(bridge.requests).toBe(first);
    vi.advanceTimersByTime(1);
    await health();
    await health();
    expect(bridge.requests).toBe(first + 1);
  });

  test("asks anew when the isolate's clock steps back", async () => {
    const bridge = await startRedisRest();
    const health = gatewayOn(bridge.url);
    expect(await health()).toEqual([200, OK]);
    await bridge.close();
    const shown = performance.now();
    vi.spyOn(performance, "now").mockImplementation(() => shown - 3_600_000);
    expect((await health())[0]).toBe(503);
  });

  test("is 503 while Redis is away, within a second of its leaving and of its coming back", async () => {
    const bridge = await startRedisRest();
    const health = gatewayOn(bridge.url);
    await health();
    await bridge.close();
    expect(await health()).toEqual([200, OK]);
    vi.advanceTimersByTime(1_000);
    const down = {
      ...OK,
      status: "store-unavailable",
      code: "ERR_STORE_UNREACHABLE",
      // Refused, or a connection that was open until now: that depends on which comes first.
      detail: expect.stringMatching(/^Redis could not be reached: [A-Z_]+\.$/) as string,
    };
    expect(await health()).toEqual([503, down]);
    expect(await health()).toEqual([503, down]);

    await startRedisRest({ port: Number(new URL(bridge.url).port) });
    vi.advanceTimersByTime(1_000);
    expect(await health()).toEqual([200, OK]);
  });

  test("is never said to be well before it is known", async () => {
    const health = gatewayOn("http://127.0.0.1:1");
    const answers = await Promise.all([health(), health(), health()]);
    expect(answers.map(([status]) => status)).toEqual([503, 503, 503]);
  });

  test("is 503 where Redis refuses the token, and does not show it", async () => {
    const bridge = await startRedisRest({ token: "right" });
    const [status, said] = await gatewayOn(bridge.url, "wrong")();
    expect([status, said]).toMatchObject([503, { code: "ERR_STORE_UNAUTHORIZED" }]);
    expect(JSON.stringify(said)).not.toMatch(/wrong|right/);
  });

  test("takes nothing from any quota: each look writes one key, which expires by itself", async () => {
    const bridge = await startRedisRest();
    const prefix = crypto.randomUUID();
    const redis = new Redis(inject("redisUrl"));
    onTestFinished(() => redis.disconnect());
    const values = new Set<string>();
    const look = async () => {
      expect(await gatewayOn(bridge.url, "test", { PREFIX: prefix })()).toEqual([200, OK]);
      const key = `${prefix}:{#health}:health:f3:1s`;
      const [keys, value, ttl] = await Promise.all([
        redis.keys(`*${prefix}*`),
        redis.getBuffer(key),
        redis.pttl(key),
      ]);
      expect(keys).toEqual([key]);
      expect(ttl).toBeGreaterThan(0);
      expect(ttl).toBeLessThanOrEqual(2_000);
      values.add(value!.toString("hex"));
    };
    // Many within one window. On a busy machine the key of a look may have gone before it is read: then it looks again.
    for (let isolate = 0; isolate < 6; isolate++) await vi.waitFor(look, 10_000);
    expect(values.size).toBe(6);
  });

  test("says which store, dialect, version and breaker state it is", async () => {
    // Of its own, because a script loaded there without the flag by another test would do as well.
    const server = await startRedisServer();
    onTestFinished(() => server.stop());
    const bridge = await startRedisRest({ redis: server.url, emulate: "upstash" });
    const redis = new Redis(server.url);
    onTestFinished(() => redis.disconnect());
    const [, version] = /redis_version:(\S+)/.exec(await redis.info("server"))!;
    expect(await gatewayOn(bridge.url)()).toEqual([200, { ...OK, dialect: "upstash", version }]);

    const ask = gatewayTo("http://127.0.0.1:1", generous, { STORE: "memory" });
    const said = await (await ask("/_tidegate/health")).json();
    expect(said).toEqual({ status: "ok", store: "memory" });
  });

  test("says that the breaker is open when traffic has opened it, and asks Redis no more than the probes", async () => {
    const bridge = await startRedisRest();
    const ask = gatewayTo("http://127.0.0.1:1", generous, {
      STORE: "redis",
      UPSTASH_REDIS_REST_URL: bridge.url,
      UPSTASH_REDIS_REST_TOKEN: "wrong",
    });
    for (let i = 0; i < 40; i++) await ask("/x", { headers: { "x-api-key": `${i}` } });
    const before = bridge.requests;
    const answer = await ask("/_tidegate/health");
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ code: "ERR_STORE_UNAUTHORIZED", breaker: "open" });
    expect(bridge.requests).toBeLessThanOrEqual(before + 1);
  });

  test("is never limited, and is there for HEAD, but for nothing that would change it", async () => {
    const ask = gatewayTo("http://127.0.0.1:1", [{ path: "/*", policies: [quota("all", 1)] }]);
    for (let i = 0; i < 3; i++) expect((await ask("/_tidegate/health")).status).toBe(200);
    const head = await ask("/_tidegate/health", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect((await ask("/_tidegate/health", { method: "POST" })).status).toBe(404);
  });
});

describe("/_tidegate/live", () => {
  test("is 200 in any state of Redis, without asking it", async () => {
    const bridge = await startRedisRest();
    for (const url of [bridge.url, "http://127.0.0.1:1"]) {
      const ask = gatewayTo("http://127.0.0.1:1", generous, {
        STORE: "redis",
        UPSTASH_REDIS_REST_URL: url,
        UPSTASH_REDIS_REST_TOKEN: "test",
      });
      for (const method of ["GET", "GET", "HEAD"]) {
        const answer = await ask("/_tidegate/live", { method });
        expect(answer.status).toBe(200);
        expect(answer.headers.get("Cache-Control")).toBe("no-store");
        expect(answer.headers.get("Content-Type")).toBe("application/json");
        expect(await answer.text()).toBe(method === "HEAD" ? "" : '{"status":"ok"}');
      }
      expect((await ask("/_tidegate/live", { method: "POST" })).status).toBe(404);
    }
    expect(bridge.requests).toBe(0);
  });
});
