import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { type RedisServer, startRedisServer } from "../../scripts/support/redis-server.ts";
import {
  createLimiter,
  type Decision,
  fixedWindow,
  type LimiterOptions,
  memoryStore,
  type Policy,
  segmentedWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from "../../src/index.ts";
import { type Bridge, startBridge } from "../../src/node/bridge/bridge.ts";
import { passing, unsteadyRedis } from "./unsteady-redis.ts";

/* When Redis does not answer, `local` counts on from the units that this isolate has seen Redis admit. */

const START = Date.UTC(2030, 0, 1, 12);

let redis: ReturnType<typeof unsteadyRedis>;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "performance"], now: START });
  redis = unsteadyRedis();
});
afterEach(() => vi.useRealTimers());

function limiterOn(policies: readonly Policy[], options: Partial<LimiterOptions> = {}) {
  return createLimiter({ store: redis.store, policies, denialCache: false, ...options });
}

const algorithms = [
  tokenBucket({ limit: 5, refill: 1, per: "1m" }),
  slidingWindowLog({ limit: 5, window: "5m" }),
  slidingWindowCounter({ limit: 5, window: "5m" }),
  segmentedWindow({ limit: 5, window: "5m" }),
  fixedWindow({ limit: 5, window: "5m" }),
];

describe.each(algorithms)("$algorithm of 5", (policy) => {
  test("two admitted by Redis leave three", async () => {
    const limiter = limiterOn([policy]);
    expect(await passing(limiter, 2)).toBe(2);
    redis.gone = true;
    expect(await passing(limiter, 10)).toBe(3);
  });

  test("with costs: the remaining units, and not one more", async () => {
    const limiter = limiterOn([policy]);
    expect(await passing(limiter, 1, 2)).toBe(1);
    redis.gone = true;
    expect(await passing(limiter, 3, 2)).toBe(1);
    expect(await passing(limiter, 3)).toBe(1);
  });

  test("units that other isolates used count, too", async () => {
    const limiter = limiterOn([policy]);
    expect(await passing(limiterOn([policy]), 3)).toBe(3);
    expect(await passing(limiter, 1)).toBe(1);
    redis.gone = true;
    expect(await passing(limiter, 10)).toBe(1);
  });

  test("a denied identity stays denied", async () => {
    const limiter = limiterOn([policy]);
    expect(await passing(limiter, 7)).toBe(5);
    redis.gone = true;
    expect(await passing(limiter, 10)).toBe(0);
  });

  test("with time it comes back, and all of it after two windows", async () => {
    const limiter = limiterOn([policy]);
    expect(await passing(limiter, 4)).toBe(4);
    redis.gone = true;
    expect(await passing(limiter, 10)).toBe(1);
    vi.advanceTimersByTime(600_001);
    expect(await passing(limiter, 10)).toBe(5);
  });

  test("a short return of Redis brings no fresh quota for another outage", async () => {
    const limiter = limiterOn([policy]);
    expect(await passing(limiter, 2)).toBe(2);
    let local = 0;
    for (let outage = 0; outage < 4; outage++) {
      redis.gone = true;
      local += await passing(limiter, 10);
      redis.gone = false;
      await limiter.peek("ada");
    }
    expect(local).toBe(3);
    // Redis counts its own admissions.
    expect(await passing(limiter, 10)).toBe(3);
    redis.gone = true;
    expect(await passing(limiter, 10)).toBe(0);
  });

  test("a reset gives all of it back", async () => {
    const limiter = limiterOn([policy]);
    await passing(limiter, 4);
    redis.gone = true;
    await passing(limiter, 10);
    redis.gone = false;
    await limiter.reset("ada");
    redis.gone = true;
    expect(await passing(limiter, 10)).toBe(5);
  });
});

test("a charge counts", async () => {
  const limiter = limiterOn([slidingWindowLog({ limit: 10, window: "1m" })]);
  await limiter.charge("ada", 7);
  redis.gone = true;
  expect(await passing(limiter, 10)).toBe(3);
});

test("another identity, never seen, has its whole quota", async () => {
  const limiter = limiterOn([algorithms[1]!]);
  await passing(limiter, 5);
  redis.gone = true;
  const others = [];
  for (let request = 0; request < 7; request++) others.push((await limiter.limit("bob")).allowed);
  expect(others).toEqual([true, true, true, true, true, false, false]);
});

test("an answer that a newer one overtook does not count again", async () => {
  const limiter = limiterOn([algorithms[1]!]);
  const late: (() => void)[] = [];
  redis.arrival = () => new Promise<void>((resolve) => late.push(resolve));
  const requests = [1, 2, 3].map(async () => {
    const asked = limiter.limit("ada");
    await new Promise((resolve) => setTimeout(resolve, 1));
    return asked;
  });
  while (late.length < 3) await new Promise((resolve) => setTimeout(resolve, 1));
  for (const arrive of late.toReversed()) {
    arrive();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(requests);
  redis.gone = true;
  expect(await passing(limiter, 10)).toBe(2);
});

test("a Redis whose clock is behind after a failover is believed", async () => {
  const limiter = limiterOn([algorithms[1]!]);
  await passing(limiter, 4);
  // Another server, without any counts, a minute behind.
  redis.counts = memoryStore({ now: () => (Date.now() - 60_000) * 1000 });
  vi.advanceTimersByTime(1);
  await passing(limiter, 1);
  redis.gone = true;
  expect(await passing(limiter, 10)).toBe(4);
});

test("of several policies each that counts locally counts on, and they take together or not at all", async () => {
  const limiter = limiterOn([
    slidingWindowLog({ name: "burst", limit: 5, window: "1m" }),
    fixedWindow({ name: "open", limit: 2, window: "1d", onFailure: "open" }),
    fixedWindow({ name: "daily", limit: 9, window: "1d" }),
  ]);
  await limiter.charge("ada", 2);
  redis.gone = true;
  const remaining: number[][] = [];
  for (let request = 0; request < 5; request++) {
    const { policies } = await limiter.limit("ada");
    remaining.push(policies.map((policy) => policy.remaining));
  }
  expect(remaining).toEqual([
    [2, 2, 6],
    [1, 2, 5],
    [0, 2, 4],
    [0, 2, 4],
    [0, 2, 4],
  ]);
});

test("units that are held are spent once", async () => {
  const limiter = limiterOn([slidingWindowLog({ limit: 1_000, window: "1m" })], { lease: "1s" });
  let passed = 0;
  for (let request = 0; request < 300; request++) {
    vi.advanceTimersByTime(5);
    passed += Number((await limiter.limit("ada")).allowed);
  }
  redis.gone = true;
  // More than is held at once, then one by one.
  for (let request = 0; request < 5; request++) {
    if ((await limiter.limit("ada", { cost: 100 })).allowed) passed += 100;
  }
  for (let request = 0; request < 1_000; request++) {
    vi.advanceTimersByTime(1);
    passed += Number((await limiter.limit("ada")).allowed);
  }
  expect(passed).toBeLessThanOrEqual(1_000);
  expect(passed).toBeGreaterThan(900);
});

describe("logins while a real Redis stalls", () => {
  let server: RedisServer;
  let bridge: Bridge;
  beforeEach(async () => {
    vi.useRealTimers();
    server = await startRedisServer();
    bridge = await startBridge({ redis: server.url, port: 0, token: "t" });
  });
  afterEach(async () => {
    server.kill("SIGCONT");
    await bridge.close();
    await server.stop();
  });

  const logins = (timeout: "600ms" | "10s") =>
    createLimiter({
      redis: { url: bridge.url, token: "t" },
      policies: [slidingWindowLog({ name: "login", limit: 5, window: "1h" })],
      timeout,
      onStoreError: () => {},
    });
  const passed = (decisions: readonly Decision[]) =>
    decisions.filter(({ allowed }) => allowed).length;

  test("of 200 at once never more than five pass, before, meanwhile and after", async () => {
    // Loads the script into Redis, so that the first commands are fast.
    await logins("10s").limit("warm-up");
    // Long enough for all of them to be on their way to Redis, also on a machine that is busy.
    const limiter = logins("600ms");
    const identity = crypto.randomUUID();
    const decisions: Decision[] = [];
    while (passed(decisions) < 2) decisions.push(await limiter.limit(identity));
    server.kill("SIGSTOP");
    const many = Array.from({ length: 200 }, () => limiter.limit(identity));
    decisions.push(...(await Promise.all(many)));
    expect(passed(decisions)).toBe(5);
    expect(decisions.at(-1)!.reason).toBe("store-unavailable");
    server.kill("SIGCONT");
    // Redis runs the earlier calls meanwhile, and counts them.
    const patient = logins("10s");
    await patient.peek(identity);
    for (let request = 0; request < 20; request++) decisions.push(await patient.limit(identity));
    expect(passed(decisions)).toBe(5);
  });
});
