import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import type { Policy, TokenBucketOptions } from "../support/limiter/plain.ts";

/** Commands that reached Redis, and the fate of the next ones. */
let commands: string[][];
let redis: () => Promise<Response>;
let warn: ReturnType<typeof vi.spyOn>;
/** The package as a new isolate loads it. */
let isolate: typeof import("../support/limiter/plain.ts");

const NOW = 1.8e15;
/** A row with this many units left that waits for this many microseconds. */
const reply = (remaining: number, wait = 0) =>
  Promise.resolve(Response.json({ result: [NOW, 1, remaining, wait, wait] }));
const gone = () => Promise.reject(new TypeError("fetch failed"));

beforeEach(async () => {
  // No time passes, however long a machine stalls.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  vi.resetModules();
  isolate = await import("../support/limiter/plain.ts");
  vi.stubEnv("UPSTASH_REDIS_REST_URL", "https://redis.example");
  vi.stubEnv("UPSTASH_REDIS_REST_TOKEN", "secret");
  commands = [];
  redis = () => reply(5);
  vi.stubGlobal("fetch", (_url: string, { body }: { body: string }) => {
    commands.push(JSON.parse(body) as string[]);
    return redis();
  });
  warn = vi.spyOn(console, "warn").mockReturnValue();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Of a command, everything that is about the policy: the key, and the arguments after operation and cost. */
const policyOf = ([, , , key, , , ...group]: string[]) => [key, ...group];

const bucket = { name: "p", limit: 10, refill: 5, per: "1s" } as const;
const windowed = { name: "p", limit: 10, window: "1m" } as const;

const ask = (changes: Partial<TokenBucketOptions> = {}) =>
  isolate.limit("ada", isolate.tokenBucket({ ...bucket, ...changes }));

const buckets = (changes: Partial<TokenBucketOptions>) => [
  isolate.tokenBucket(bucket),
  isolate.tokenBucket({ ...bucket, ...changes }),
];

describe("policies that differ in one thing are different", () => {
  test.for([
    [
      "algorithm",
      () => [isolate.slidingWindowLog(windowed), isolate.slidingWindowCounter(windowed)],
    ],
    ["name", () => buckets({ name: "q" })],
    ["limit", () => buckets({ limit: 11 })],
    ["refill", () => buckets({ refill: 4 })],
    ["per", () => buckets({ per: "2s" })],
    [
      "window",
      () => (["1m", "2m"] as const).map((window) => isolate.fixedWindow({ ...windowed, window })),
    ],
    [
      "segments",
      () => [10, 12].map((segments) => isolate.segmentedWindow({ ...windowed, segments })),
    ],
  ] as [what: string, of: () => [Policy, Policy]][])("%s", async ([, of]) => {
    const [one, other] = of();
    await isolate.limit("ada", one);
    await isolate.limit("ada", other);
    expect(commands).toHaveLength(2);
    expect(policyOf(commands[0]!)).not.toEqual(policyOf(commands[1]!));
  });

  test("onFailure", async () => {
    redis = gone;
    const statuses = [];
    for (const onFailure of ["open", "closed", "local"] as const) {
      statuses.push((await ask({ onFailure })).status);
    }
    expect(statuses).toEqual([200, 503, 200]);
  });
});

describe("policies that tell clients different things are different", () => {
  test("advertise", async () => {
    const fields = [];
    for (const advertise of [true, false, undefined]) {
      fields.push((await ask({ advertise } as object)).headers().has("RateLimit"));
    }
    expect(fields).toEqual([true, false, true]);
  });

  test("retryJitter", async () => {
    redis = () => reply(0, 1_000e6);
    // Random numbers may be 0; ten in a row are not.
    const longer = async (retryJitter: number) => {
      const waits = [];
      for (let request = 0; request < 10; request++) {
        const headers = (await ask({ retryJitter })).headers();
        waits.push(Number(headers.get("Retry-After")) > 1_000);
      }
      return waits.some(Boolean);
    };
    expect(await longer(0)).toBe(false);
    expect(await longer(1)).toBe(true);
    expect(await longer(0)).toBe(false);
  });

  test("the share of onFailure", async () => {
    redis = gone;
    const remaining = [];
    for (const share of [1, 0.5, 0.2]) {
      const decision = await ask({ name: `s${share}`, onFailure: { local: { share } } });
      remaining.push(decision.policies[0]!.remaining);
    }
    expect(remaining).toEqual([9, 4, 1]);
  });
});

describe("policies with equal numbers are one", () => {
  test("built anew, with keys in another order: a denial that one knows is known to all", async () => {
    redis = () => reply(0, 5e6);
    expect((await ask()).allowed).toBe(true);
    const { name, limit, refill, per } = bucket;
    const again = await isolate.limit("ada", isolate.tokenBucket({ per, refill, limit, name }));
    expect(again.reason).toBe("cached-denial");
    expect(commands).toHaveLength(1);
  });

  test("up to a thousand of them are kept", async () => {
    redis = () => reply(0, 60e6);
    for (let limit = 1; limit <= 1_000; limit++) await ask({ limit });
    expect((await ask({ limit: 1 })).reason).toBe("cached-denial");
    expect(commands).toHaveLength(1_000);
    await ask({ limit: 1_001 });
    expect((await ask({ limit: 1 })).reason).toBe("allowed");
    expect(commands).toHaveLength(1_002);
  });
});

describe("in an outage", () => {
  test("limit() counts by itself, says so once in the log, and asks no more after five failures", async () => {
    redis = gone;
    const decisions = [];
    for (let i = 0; i < 6; i++) decisions.push(await ask({ limit: 2, refill: 1, per: "1h" }));
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, ...Array(4).fill(false)]);
    expect(new Set(decisions.map(({ reason }) => reason))).toEqual(new Set(["store-unavailable"]));
    expect(decisions.map(({ error }) => error!.code)).toEqual([
      ...Array<string>(5).fill("ERR_STORE_UNREACHABLE"),
      "ERR_STORE_SUSPENDED",
    ]);
    expect(commands).toHaveLength(5);
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(/^tidegate: ERR_STORE_UNREACHABLE: /),
    );
  });

  test("all policies share one Redis, and a finding of one of them about it is known to the others", async () => {
    redis = gone;
    for (let i = 0; i < 5; i++) await ask();
    const { error } = await ask({ name: "q" });
    expect(error!.code).toBe("ERR_STORE_SUSPENDED");
    expect(commands).toHaveLength(5);
  });

  test("limit() waits for a second in a new isolate, and leaves no timer behind", async () => {
    redis = () => new Promise(() => {});
    let decision: unknown;
    void ask().then((made) => (decision = made));
    await vi.advanceTimersByTimeAsync(999);
    expect(decision).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(decision).toMatchObject({
      allowed: true,
      reason: "store-unavailable",
      error: { code: "ERR_STORE_TIMEOUT", message: "Redis did not answer within 1000 ms." },
    });
    expect(vi.getTimerCount()).toBe(0);
  });
});

test("a decision of Redis leaves no timer behind", async () => {
  await ask();
  expect(vi.getTimerCount()).toBe(0);
});

test("variables that are missing are a fault of every call, and none once they are there", async () => {
  vi.stubEnv("UPSTASH_REDIS_REST_URL", undefined);
  vi.stubEnv("UPSTASH_REDIS_REST_TOKEN", undefined);
  vi.stubEnv("KV_REST_API_URL", undefined);
  for (let call = 0; call < 2; call++) {
    await expect(ask()).rejects.toMatchObject({
      code: "ERR_CONFIGURATION",
      faults: [{ path: "UPSTASH_REDIS_REST_URL" }, { path: "UPSTASH_REDIS_REST_TOKEN" }],
    });
  }
  vi.stubEnv("KV_REST_API_URL", "https://kv.example");
  vi.stubEnv("KV_REST_API_TOKEN", "t");
  expect((await ask()).reason).toBe("allowed");
});

test("an option that does not exist is a fault, also where all others are those of a policy in use", async () => {
  const { limit, tokenBucket } = isolate;
  await limit("ada", tokenBucket(bucket));
  const misspelt = { ...bucket, onfailure: "closed" } as TokenBucketOptions;
  await expect(limit("ada", tokenBucket(misspelt))).rejects.toMatchObject({
    faults: [{ path: "policies[0].onfailure" }],
  });
  expect(commands).toHaveLength(1);
});

test.for([
  ["lease", '"100ms"', () => isolate.tokenBucket({ ...bucket, lease: "100ms" })],
  ["window", '"month"', () => isolate.fixedWindow({ limit: 1, window: "month" })],
] as const)(
  "a %s of %s is a fault, because every decision is Redis's",
  async ([what, value, of]) => {
    await expect(isolate.limit("ada", of())).rejects.toMatchObject({
      faults: [{ path: `policies[0].${what}`, value }],
    });
    expect(commands).toEqual([]);
  },
);

test("local counts of all policies share one bounded memory", async () => {
  redis = gone;
  const once = { limit: 1, refill: 1, per: "1d" } as const;
  const others = (name: string) => isolate.limit("ada", isolate.tokenBucket({ ...once, name }));
  expect((await others("first")).allowed).toBe(true);
  expect((await others("first")).allowed).toBe(false);
  // Ten thousand keys of another policy push it out.
  const policy = isolate.tokenBucket({ ...once, name: "crowd" });
  for (let i = 0; i < 10_000; i++) await isolate.limit(`user:${i}`, policy);
  expect((await others("first")).allowed).toBe(true);
});
