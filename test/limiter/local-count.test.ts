import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { type Bridge, startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { type RedisServer, startRedisServer } from "../../scripts/support/redis-server.ts";
import { everyPolicy } from "../support/every-policy.ts";
import {
  createLimiter,
  type Decision,
  fixedWindow,
  type LimiterOptions,
  memoryStore,
  type Policy,
  slidingWindowLog,
  tokenBucket,
} from "../support/limiter/plain.ts";
import { passing, unsteadyRedis } from "./unsteady-redis.ts";

/* When Redis does not answer, `local` counts on from the units that this isolate has seen Redis admit. */

const START = Date.UTC(2030, 0, 1, 12);
const WINDOW = 300_000;

let redis: ReturnType<typeof unsteadyRedis>;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "performance"], now: START });
  redis = unsteadyRedis();
});
afterEach(() => vi.useRealTimers());

function limiterOn(policies: readonly Policy[], options: Partial<LimiterOptions> = {}) {
  return createLimiter({ store: redis.store, policies, denialCache: false, ...options });
}

/** Of each algorithm five units in five minutes. */
const algorithms = everyPolicy(5, "5m");
const log = slidingWindowLog({ limit: 5, window: "5m" });

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

test("a unit that Redis counted comes back a window after it said so, not after the outage began", async () => {
  const limiter = limiterOn([log]);
  await passing(limiter, 4);
  vi.advanceTimersByTime(200_000);
  redis.gone = true;
  expect(await passing(limiter, 1)).toBe(1);
  vi.advanceTimersByTime(WINDOW - 200_000);
  expect(await passing(limiter, 10)).toBe(4);
});

test("a unit that was counted here is not counted from a later request on", async () => {
  const limiter = limiterOn([log]);
  await passing(limiter, 2);
  redis.gone = true;
  expect(await passing(limiter, 3)).toBe(3);
  vi.advanceTimersByTime(100_000);
  const { allowed, policies, retryAfterMs } = await limiter.limit("ada");
  expect(allowed).toBe(false);
  expect(retryAfterMs).toBeGreaterThan(WINDOW - 100_100);
  expect(policies[0]!.resetAfterMs).toBeLessThanOrEqual(WINDOW - 100_000);
});

test("a denial waits for the end that makes room, and its reset is the end of both windows", async () => {
  const limiter = limiterOn([log]);
  await passing(limiter, 4);
  vi.advanceTimersByTime(200_000);
  redis.gone = true;
  await passing(limiter, 1);
  const decision = await limiter.limit("ada");
  const headers = decision.headers();
  expect(headers.get("Retry-After")).toBe("100");
  expect(headers.get("RateLimit")).toContain(";t=100");
  // A microsecond between two requests becomes a whole second.
  const end = (START + 200_000 + WINDOW) / 1_000;
  expect([end, end + 1]).toContain(Number(headers.get("X-RateLimit-Reset")));
});

test("a unit of a quota that Redis said is used up is waited for", async () => {
  const limiter = limiterOn([log]);
  await passing(limiter, 5);
  redis.gone = true;
  const { allowed, retryAfterMs } = await limiter.limit("ada");
  expect(allowed).toBe(false);
  expect(retryAfterMs).toBeGreaterThan(WINDOW - 100);
});

test("a reset forgets an earlier answer of Redis that arrives later", async () => {
  const limiter = limiterOn([log]);
  await passing(limiter, 3);
  const { promise, resolve } = Promise.withResolvers<void>();
  redis.arrival = () => promise;
  const asked = limiter.limit("ada");
  vi.advanceTimersByTime(1);
  await limiter.reset("ada");
  vi.advanceTimersByTime(1);
  resolve();
  expect((await asked).allowed).toBe(true);
  redis.gone = true;
  expect(await passing(limiter, 10)).toBe(5);
});

test("an answer that a newer one overtook does not count again", async () => {
  const limiter = limiterOn([log]);
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
  const limiter = limiterOn([log]);
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

describe("an isolate's own window, as docs/outages.md has it", () => {
  /** Asks so often at each of these moments, in milliseconds, and returns how many pass each time. */
  async function passingAt(policy: Policy, moments: readonly (readonly [number, number])[]) {
    redis.gone = true;
    const limiter = limiterOn([policy]);
    const passed: number[] = [];
    for (const [atMs, count] of moments) {
      vi.setSystemTime(START + atMs);
      passed.push(await passing(limiter, count));
    }
    return passed;
  }

  test("begins with the first request: a log of 5 in 10 s admits 9 within 100 ms", async () => {
    const logins = slidingWindowLog({ limit: 5, window: "10s" });
    const moments = [
      [0, 1],
      [9_900, 9],
      [10_000, 9],
    ] as const;
    expect(await passingAt(logins, moments)).toEqual([1, 4, 5]);
  });

  test("is the time in which a bucket refills: 20 at once, and the next 20 after 2 s", async () => {
    const bucket = tokenBucket({ limit: 20, refill: 10, per: "1s" });
    const moments = [
      [0, 30],
      // A millisecond apart, so that all of them come before the end.
      [1_960, 30],
      [2_000, 30],
    ] as const;
    expect(await passingAt(bucket, moments)).toEqual([20, 0, 20]);
  });
});
