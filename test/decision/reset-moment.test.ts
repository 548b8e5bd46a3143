import { afterEach, beforeEach, describe, expect, inject, test, vi } from "vitest";

import { type Bridge, startBridge } from "../../packages/redis-rest/src/bridge.ts";
import {
  createLimiter,
  fixedWindow,
  type LimiterOptions,
  memoryStore,
  type RedisClient,
  shareDenials,
  tokenBucket,
} from "../support/limiter/plain.ts";

/* `X-RateLimit-Reset` of one window is one moment: its end on Redis's clock, under any clock of the isolate. */

let bridge: Bridge;
beforeEach(async () => {
  bridge = await startBridge({ redis: inject("redisUrl"), port: 0, token: "t" });
  // Seven minutes and a bit behind.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 421_337 });
});
afterEach(async () => {
  vi.useRealTimers();
  await bridge.close();
});

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const HOUR = 3_600_000;
const policies = [fixedWindow({ name: "hour", limit: 3, window: "1h" })];

function limiterOn(options: Partial<LimiterOptions> = {}) {
  return createLimiter({
    redis: { url: bridge.url, token: "t" },
    policies,
    timeout: "10s",
    ...options,
  });
}

/** The reset moments in responses to this many requests, a few milliseconds apart. */
async function resets(limiter: ReturnType<typeof limiterOn>, requests: number, identity: string) {
  const said: [string, string | null][] = [];
  for (let request = 0; request < requests; request++) {
    const decision = await limiter.limit(identity);
    said.push([decision.reason, decision.headers().get("X-RateLimit-Reset")]);
    await sleep(7);
  }
  return said;
}

/** The end of the running hour in Unix seconds; at the very end of one, the next is awaited. */
async function endOfHour(): Promise<string> {
  vi.useRealTimers();
  while (HOUR - (Date.now() % HOUR) < 5_000) await sleep(500);
  const end = String(((Math.floor(Date.now() / HOUR) + 1) * HOUR) / 1000);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 421_337 });
  return end;
}

describe("one fixed window, by an isolate whose clock is minutes off", () => {
  test("allowed, denied by Redis, denied by a known denial: the same moment, the window's end", async () => {
    const end = await endOfHour();
    const identity = crypto.randomUUID();
    const said = await resets(limiterOn(), 40, identity);
    // Redis denies a request without units after another isolate used them.
    said.push(...(await resets(limiterOn(), 2, identity)));
    expect(said.map(([reason]) => reason)).toEqual([
      ...Array(3).fill("allowed"),
      ...Array(37).fill("cached-denial"),
      "limited",
      "cached-denial",
    ]);
    expect(new Set(said.map(([, reset]) => reset))).toEqual(new Set([end]));
  });

  test("a response that is made late says the same", async () => {
    const end = await endOfHour();
    const decision = await limiterOn().limit(crypto.randomUUID());
    vi.setSystemTime(Date.now() + 90_000);
    await sleep(30);
    expect(decision.headers().get("X-RateLimit-Reset")).toBe(end);
  });

  test("units taken ahead", async () => {
    const end = await endOfHour();
    const limiter = limiterOn({
      policies: [fixedWindow({ name: "hour", limit: 10_000, window: "1h" })],
      lease: "1s",
    });
    const identity = crypto.randomUUID();
    const said = await resets(limiter, 60, identity);
    const asked = bridge.requests;
    said.push(...(await resets(limiter, 5, identity)));
    expect(bridge.requests - asked).toBeLessThan(5);
    expect(new Set(said.map(([, reset]) => reset))).toEqual(new Set([end]));
  });

  test("a denial that another isolate shared", async () => {
    const notes = new Map<string, string>();
    const shared = () =>
      limiterOn({
        policies: [fixedWindow({ name: "short", limit: 1, window: "3s" })],
        sharedDenials: shareDenials({
          get: async (key) => notes.get(key),
          put: (key, text) => void notes.set(key, text),
        }),
      });
    const [one, other] = [shared(), shared()];
    const identity = crypto.randomUUID();
    const window = 3_000;
    const left = () => window - (Math.floor(performance.timeOrigin + performance.now()) % window);
    await sleep(left() < 1_500 ? left() + 20 : 0);
    const said = [...(await resets(one, 2, identity)), ...(await resets(other, 1, identity))];
    expect(said.map(([reason]) => reason)).toEqual(["allowed", "cached-denial", "limited"]);
    const end = Number(said[0]![1]);
    // In the next window one asks Redis, and the other reads the answer that it has published.
    await sleep(left() + 20);
    const next = [...(await resets(one, 1, identity)), ...(await resets(other, 2, identity))];
    expect(next.map(([reason]) => reason)).toEqual(["allowed", "cached-denial", "cached-denial"]);
    expect(new Set(said.map(([, reset]) => reset))).toEqual(new Set([String(end)]));
    expect(new Set(next.map(([, reset]) => reset))).toEqual(new Set([String(end + 3)]));
  });

  test("a cost that fits never, beside a denial that is known", async () => {
    const end = await endOfHour();
    const limiter = limiterOn();
    const identity = crypto.randomUUID();
    for (let request = 0; request < 4; request++) await limiter.limit(identity);
    await sleep(30);
    const never = await limiter.limit(identity, { cost: 4 });
    expect(never.reason).toBe("cost-exceeds-limit");
    expect(never.headers().get("X-RateLimit-Reset")).toBe(end);
  });
});

test("in an outage it is the end of the isolate's own window", async () => {
  const now = Date.UTC(2030, 0, 1, 10, 20, 0, 1);
  vi.setSystemTime(now);
  const gone: RedisClient = {
    evalsha: async () => Promise.reject(new TypeError("gone")),
    eval: async () => [],
  };
  const limiter = createLimiter({ redis: gone, policies, onStoreError: () => {} });
  const said = await resets(limiter, 5, "somebody");
  // The window begins with the first request, and the millisecond of its end is rounded up to a second.
  const end = String(Date.UTC(2030, 0, 1, 11, 20, 1) / 1000);
  expect(said).toEqual(Array.from({ length: 5 }, () => ["store-unavailable", end]));
});

describe("to the microsecond", () => {
  test.for([
    ["exactly at a second's end", 1_800_000_000_000_000, 1_800_003_600],
    ["a microsecond after it began", 1_800_000_000_000_001, 1_800_003_601],
    ["a microsecond before it ends", 1_799_999_999_999_999, 1_800_003_600],
  ] as const)("a token bucket that is full again %s", async ([, start, end]) => {
    let now: number = start;
    const bucket = createLimiter({
      store: memoryStore({ now: () => now }),
      policies: [tokenBucket({ limit: 1, refill: 1, per: "1h" })],
    });
    const said = new Set<string | null>();
    said.add((await bucket.limit("a")).headers().get("X-RateLimit-Reset"));
    for (let request = 0; request < 200; request++) {
      now += 137_911;
      const decision = await bucket.limit("a");
      expect(decision.reason).toBe("cached-denial");
      said.add(decision.headers().get("X-RateLimit-Reset"));
    }
    expect(said).toEqual(new Set([String(end)]));
  });
});
