import { describe, expect, test } from "vitest";

import { EVERY_ALGORITHM } from "../support/algorithms/all.ts";
import { fixedWindow, type Policy, tokenBucket } from "../support/limiter/plain.ts";
import { least, runs } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";
import { type Outcome, playSchedule, type ScheduleOptions } from "./schedule.ts";

const redis = testRedis();

/** The same policy with a limit, and with other numbers. */
type Make = (limit: number, changed: boolean) => Policy;
const windowOf = (changed: boolean) => (changed ? "90s" : "60s");
const KINDS: readonly (readonly [string, Make])[] = [
  ...EVERY_ALGORITHM.filter(({ refills }) => !refills).map(({ algorithm, of }): [string, Make] => [
    algorithm,
    (limit, changed) => ({ ...of(limit, windowOf(changed)), name: "p" }),
  ]),
  [
    "token-bucket",
    (limit, changed) =>
      tokenBucket({ name: "p", limit, refill: changed ? 7 : 3, per: changed ? "41s" : "60s" }),
  ],
  [
    "fixed-window from the first request on",
    (limit, changed) =>
      fixedWindow({ name: "p", limit, window: windowOf(changed), aligned: false }),
  ],
];

async function playAll(count: number, optionsOf: (seed: number) => Omit<ScheduleOptions, "seed">) {
  const total = { nearby: 0, cached: 0, allowed: 0, wrong: [] as string[] };
  for (let seed = 1; seed <= runs(count); seed++) {
    const { nearby, cached, allowed, wrong }: Outcome = await playSchedule(redis, {
      seed,
      ...optionsOf(seed),
    });
    total.nearby += nearby;
    total.cached += cached;
    total.allowed += allowed;
    total.wrong.push(...wrong);
  }
  return total;
}

const LONG_LAG = { steps: 150, pauseUs: 3e6, lagUs: 600e6 };

describe.each(KINDS)("%s", (_, make) => {
  test("is denied only where the primary denies, and for no longer, with any lag and clocks", async () => {
    const { nearby, allowed, wrong } = await playAll(4, (seed) => {
      const own = [make(4 + (seed % 5), false)];
      return { ...LONG_LAG, policies: [own, own, own, own, own] };
    });
    expect(wrong).toEqual([]);
    expect(nearby).toBeGreaterThan(least(5));
    expect(allowed).toBeGreaterThan(least(20));
  });

  test("the same for the isolate that resets it", async () => {
    const { nearby, wrong } = await playAll(4, (seed) => {
      const own = [make(4 + (seed % 5), false)];
      return { ...LONG_LAG, policies: [own, own, own], lagUs: 55e6, resets: true };
    });
    expect(wrong).toEqual([]);
    expect(nearby).toBeGreaterThanOrEqual(least(1));
  });
});

/** With the others, a request with another window may shorten waits that the replica knows, as docs/replica.md says. */
const LASTING = ["sliding-window-log", "sliding-window-counter", "segmented-window"];

describe.each([
  ["two windows", LASTING, true],
  ["two limits", KINDS.map(([name]) => name), false],
] as const)("while %s are in force", (_, names, changed) => {
  test.each(KINDS.filter(([name]) => names.includes(name)))(
    "%s is denied only where the primary denies",
    async (__, make) => {
      const { nearby, wrong } = await playAll(4, (seed) => {
        const own = [make(4 + (seed % 5), false)];
        const other = [make(4 + (seed % 3), changed)];
        return { ...LONG_LAG, policies: [own, own, own, other, other], hasSettings: true };
      });
      expect(wrong).toEqual([]);
      expect(nearby).toBeGreaterThanOrEqual(least(1));
    },
  );
});

test("several policies are denied only where the primary denies one of them", async () => {
  const { nearby, wrong } = await playAll(4, (seed) => {
    const own = KINDS.slice(0, 3).map(([name, make], i) =>
      Object.assign(make(5 + ((seed + i) % 4), false), { name }),
    );
    return { ...LONG_LAG, policies: [own, own, own, own] };
  });
  expect(wrong).toEqual([]);
  expect(nearby).toBeGreaterThan(least(5));
});
