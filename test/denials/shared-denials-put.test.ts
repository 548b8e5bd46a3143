import { afterEach, beforeEach, describe, expect, inject, test, vi } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { segmentedWindow } from "../../src/algorithms/segmented-window.ts";
import { slidingWindowLog } from "../../src/algorithms/sliding-window-log.ts";
import { createDenialCache } from "../../src/decide/denial-cache.ts";
import { createRedisClocks } from "../../src/decide/redis-clocks.ts";
import { shareDenials } from "../../src/features/shared-denials-feature.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import { type Policy } from "../../src/policy/policy.ts";
import { compile } from "../support/compile-policy.ts";
import { createLimiter } from "../support/limiter/plain.ts";

/** The entries that were put, and the answer that a look finds. */
let puts: [key: string, text: string, seconds: number][];
let put: (...args: [string, string, number]) => void | Promise<void>;
let get: () => Promise<string | undefined>;

const START = 4e12;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"], now: START });
  puts = [];
  put = (...args) => void puts.push(args);
  get = async () => undefined;
});
afterEach(() => void vi.useRealTimers());

/** What Redis's clock showed when this isolate's was at START, in microseconds. */
const SHOWN = 5e15;
const daily = fixedWindow({ name: "p", limit: 5, window: "1d" });

function sharing(
  policies: readonly Policy[] = [daily],
  prefix = "tg",
  denials = createDenialCache(10, policies.length),
) {
  const clocks = createRedisClocks();
  clocks.note("ada", SHOWN, Date.now(), Date.now());
  return shareDenials({ get: () => get(), put: (...args) => put(...args) }).share(
    { prefix, policies: compile(policies), now: () => Date.now() },
    clocks,
    denials,
  );
}

const row = (wait: number, remaining = 0) => ({
  allowed: wait === 0,
  remaining,
  retryAfterUs: wait,
  resetAfterUs: wait + 1,
});

describe("the published text", () => {
  test("is Redis's time, and the cost and numbers of each row, until the longest wait is over", () => {
    const policies = [daily, fixedWindow({ name: "q", limit: 9, window: "1d" })];
    sharing(policies).publish("ada", [3, 4, 9], {
      nowUs: SHOWN,
      rows: [row(2_500_000), row(0, 7), row(9_000_000)],
    });
    expect(puts).toEqual([
      [expect.stringMatching(/^tg:.*:ada$/), `${SHOWN},3,0,2500000,2500001,4,7,0,1`, 3],
    ]);
  });

  test.for([
    [1, 1],
    [999_999, 1],
    [1_000_000, 1],
    [1_000_001, 2],
    [60_000_000, 60],
    [60_000_001, 60],
    [86_400e6, 60],
  ])("of %d µs stays for %d s", ([wait, seconds]) => {
    sharing().publish("ada", [1], { nowUs: SHOWN, rows: [row(wait!)] });
    expect(puts[0]![2]).toBe(seconds);
  });

  test("of an answer with room withdraws the denial, as a reset does", () => {
    const shared = sharing();
    shared.publish("ada", [1], { nowUs: SHOWN, rows: [row(0)] });
    shared.forget("ada");
    expect(puts.map(([, text, seconds]) => [text, seconds])).toEqual([
      ["", 1],
      ["", 1],
    ]);
  });

  test("lies under the same name for the same policies, and under another one for any other", () => {
    const windowed = { name: "p", limit: 5, window: "1d" } as const;
    const isolates = [
      sharing(),
      sharing([fixedWindow({ ...windowed, name: "q" })]),
      sharing([fixedWindow({ ...windowed, limit: 6 })]),
      sharing([fixedWindow({ ...windowed, window: "2d" })]),
      sharing([slidingWindowLog(windowed)]),
      sharing([segmentedWindow(windowed)]),
      sharing([segmentedWindow({ ...windowed, segments: 12 })]),
      sharing([daily, fixedWindow({ ...windowed, name: "q" })]),
      sharing([daily], "other"),
    ];
    for (const isolate of isolates) {
      isolate.publish("ada", [1, 1], { nowUs: SHOWN, rows: [row(1), row(1)] });
    }
    sharing().publish("bob", [1], { nowUs: SHOWN, rows: [row(1)] });
    expect(new Set(puts.map(([key]) => key)).size).toBe(10);
    sharing([fixedWindow({ ...windowed, onFailure: "open" })]).publish("ada", [1], {
      nowUs: SHOWN,
      rows: [row(1)],
    });
    expect(puts.at(-1)![0]).toBe(puts[0]![0]);
  });

  test.for<[string, () => void | Promise<void>]>([
    [
      "throws",
      () => {
        throw new Error("full");
      },
    ],
    ["fails", () => Promise.reject(new Error("full"))],
    ["hangs", () => new Promise(() => {})],
  ])("delays no request and fails none, where put %s", async ([, broken]) => {
    put = broken;
    const shared = sharing();
    shared.publish("ada", [1], { nowUs: SHOWN, rows: [row(1)] });
    shared.forget("ada");
    expect(await shared.read("ada", [1])).toBeUndefined();
  });
});

describe("a read", () => {
  test("that finds nothing leaves a claim of Redis's time at most, for a second, and no timer", async () => {
    expect(await sharing().read("ada", [1])).toBeUndefined();
    expect(puts).toEqual([
      [expect.stringMatching(/^tg:.*:ada$/), expect.stringMatching(/^\d+$/), 1],
    ]);
    // Its clock is the one of the answer, and the most that drift can have added.
    const claimed = Number(puts[0]![1]) - SHOWN;
    expect(claimed).toBeGreaterThanOrEqual(0);
    expect(claimed).toBeLessThan(10);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("that finds a denial leaves nothing", async () => {
    get = async () => `${SHOWN},1,0,900000,900001`;
    const shared = sharing();
    vi.advanceTimersByTime(10);
    expect(await shared.read("ada", [1])).toEqual({
      state: "denied",
      nowUs: expect.any(Number),
      rows: [
        {
          allowed: false,
          remaining: 0,
          retryAfterUs: expect.any(Number),
          resetAfterUs: expect.any(Number),
        },
      ],
    });
    expect(puts).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("is repeated at 4, 12, 28, 60 and 124 ms while another isolate asks, and then this one asks", async () => {
    const reads: number[] = [];
    const shared = sharing();
    const claim = String(SHOWN);
    get = async () => {
      reads.push(Date.now() - START);
      return claim;
    };
    const read = shared.read("ada", [1]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await read).toBeUndefined();
    expect(reads).toEqual([0, 4, 12, 28, 60, 124]);
    expect(puts).toHaveLength(1);
  });

  test("reads nothing for a partition without an answer of Redis", async () => {
    get = vi.fn(async () => undefined);
    expect(await sharing().read("bob", [1])).toBeUndefined();
    expect(get).not.toHaveBeenCalled();
    expect(puts).toEqual([]);
  });

  test("that finds a denial of larger costs remembers it as one", async () => {
    get = async () => `${SHOWN},3,2,900000,900001`;
    const denials = createDenialCache(10, 1);
    const shared = sharing([daily], "tg", denials);
    vi.advanceTimersByTime(10);
    expect(await shared.read("ada", [1])).toBeUndefined();
    expect(denials.find("ada", [3], START + 1_000)).toEqual({ state: "expired", denied: true });
  });

  test("that finds a denial which has ended remembers none", async () => {
    get = async () => `${SHOWN},1,0,900000,900001`;
    const denials = createDenialCache(10, 1);
    const shared = sharing([daily], "tg", denials);
    vi.advanceTimersByTime(900);
    expect(await shared.read("ada", [1])).toBeUndefined();
    expect(denials.find("ada", [1], Date.now())).toEqual({ state: "unknown" });
  });

  test("that is answered forgets those that hung before it", async () => {
    const hang = () => new Promise<undefined>(() => {});
    const shared = sharing();
    for (const answer of [hang, hang, hang, hang, async () => undefined, hang, hang, hang, hang]) {
      get = vi.fn(answer);
      void shared.read("ada", [1]);
      await vi.advanceTimersByTimeAsync(25);
      expect(get).toHaveBeenCalledTimes(1);
    }
    get = vi.fn(hang);
    void shared.read("ada", [1]);
    expect(get).toHaveBeenCalledTimes(1);
  });

  test("that hangs ends after 25 ms, and after five of them there are no more for a second", async () => {
    get = vi.fn(() => new Promise<undefined>(() => {}));
    const shared = sharing();
    for (let attempt = 1; attempt <= 5; attempt++) {
      let over = false;
      void shared.read("ada", [1]).then(() => (over = true));
      await vi.advanceTimersByTimeAsync(24);
      expect(over).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(over).toBe(true);
    }
    await shared.read("ada", [1]);
    expect(get).toHaveBeenCalledTimes(5);
    vi.advanceTimersByTime(1_000);
    void shared.read("ada", [1]);
    expect(get).toHaveBeenCalledTimes(6);
  });
});

test("a reset withdraws the denials of every plan that was asked for", async () => {
  vi.useRealTimers();
  const limiter = createLimiter({
    redis: { url: inject("redisRestUrl"), token: inject("redisRestToken") },
    prefix: crypto.randomUUID(),
    timeout: "10s",
    policies: [daily],
    plans: { gold: { p: { limit: 9 } } },
    sharedDenials: shareDenials({ get: () => get(), put: (...args) => put(...args) }),
  });
  await limiter.limit("ada");
  await limiter.limit("ada", { plan: "gold" });
  expect(puts).toEqual([]);
  await limiter.reset("ada");
  expect(puts.map(([, text, seconds]) => [text, seconds])).toEqual([
    ["", 1],
    ["", 1],
  ]);
  expect(new Set(puts.map(([key]) => key)).size).toBe(2);
});

test("denials of policies that differ in their algorithm alone have names of their own", () => {
  const [policy] = compile([daily]) as [CompiledPolicy];
  for (const algorithm of ["fixed-window", "sliding-window-log"] as const) {
    const policies = [{ ...policy, scriptArguments: policy.scriptArguments.with(0, algorithm) }];
    shareDenials({ get: () => get(), put: (...args) => put(...args) })
      .share(
        { prefix: "tg", policies, now: () => Date.now() },
        createRedisClocks(),
        createDenialCache(10, policies.length),
      )
      .forget("ada");
  }
  expect(new Set(puts.map(([key]) => key)).size).toBe(2);
});
