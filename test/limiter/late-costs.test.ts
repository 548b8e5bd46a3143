import { readFileSync } from "node:fs";

import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";

import { compilePolicy } from "../support/compile-policy.ts";
import { burstAboveRate, fullestWindow } from "../support/model/trailing-window.ts";
import { redisWithClock } from "../support/redis-with-clock.ts";
import { some } from "../support/runs.ts";
import { budgets, mostOf, type Story, tell } from "./late-costs.ts";

/*
 * The share of a budget that is really used if the cost is unknown before the end. More streams come than it has room for, each
 * goes on for ten seconds and reserves five times the units that it uses. The runs are deterministic.
 */

let redis: Redis;
beforeAll(() => {
  redis = new Redis(inject("redisUrl"));
});
afterAll(() => redis.quit());

const WINDOWS = { "1m": 60e6, "10m": 600e6, "1h": 3_600e6 };
type Window = keyof typeof WINDOWS;

const LIMIT = 100_000;
const ESTIMATE = 4_000;

/** In percent, as measured: of a budget per minute, per ten minutes, per hour. docs/late-costs.md rounds them. */
const SHARES: readonly (readonly [algorithm: string, minute: number, ten: number, hour: number])[] =
  [
    ["fixed-window", 72.1, 96.4, 96.6],
    ["sliding-window-log", 58.8, 91.7, 96.4],
    ["sliding-window-counter", 57.8, 90.0, 96.4],
    ["segmented-window", 55.9, 86.2, 88.2],
    ["token-bucket", 20.2, 31.8, 74.0],
  ];

function storyOf(algorithm: string, window: Window, more: Partial<Story> = {}, limit = LIMIT) {
  const policy = budgets(limit, window).find((each) => each.algorithm === algorithm)!;
  const windowUs = WINDOWS[window];
  return { policy, windowUs, tooHigh: 5, streamUs: 10e6, windows: 20, ...more };
}

const percent = (share: number) => Math.round(share * 1_000) / 10;

describe.each(SHARES)("of a %s", (algorithm, ...shares) => {
  test.each(some(Object.keys(WINDOWS).map((window, i) => [window as Window, shares[i]!] as const)))(
    "with a budget per %s, settled usage is %d percent, and never above its promise",
    async (window, expected) => {
      const story = storyOf(algorithm, window);
      const { used, share } = await tell(story);
      expect(Math.abs(percent(share) - expected)).toBeLessThanOrEqual(0.5);
      expect(used.length).toBeGreaterThan(500);
      const { limit, parameters } = compilePolicy(story.policy);
      const fullest = fullestWindow(used, story.windowUs);
      if (algorithm === "token-bucket") {
        const { intervalUs, divisor } = parameters;
        expect(burstAboveRate(used, intervalUs!, divisor!)).toBeLessThanOrEqual(limit);
      } else {
        const most = { "fixed-window": 2 * limit, "sliding-window-counter": 2 * limit - 1 };
        expect(fullest).toBeLessThanOrEqual(most[algorithm as keyof typeof most] ?? limit);
      }
    },
  );
});

/* Of a log: the share is bounded by the units that a stream reserves and does not use, for as long as it goes on. */
const BOUNDS: readonly (readonly [what: string, story: Story, bound: number])[] = [
  [
    "a minute, estimates five times too high, streams of 10 s",
    storyOf("sliding-window-log", "1m"),
    60,
  ],
  ["ten minutes instead", storyOf("sliding-window-log", "10m"), 93.75],
  ["an hour instead", storyOf("sliding-window-log", "1h"), 98.9],
  ["estimates half too high", storyOf("sliding-window-log", "1m", { tooHigh: 1.5 }), 92.3],
  ["streams of one second", storyOf("sliding-window-log", "1m", { streamUs: 1e6 }), 93.75],
  ["a budget of five estimates", storyOf("sliding-window-log", "1m", {}, 5 * ESTIMATE), 60],
];

describe.each(some(BOUNDS))("a log, %s", (_, story, bound) => {
  test(`uses at most ${bound} percent, and less by one estimate's room at most`, async () => {
    const { share } = await tell(story);
    const most = mostOf(story);
    expect(most * 100).toBeCloseTo(bound, 1);
    // The use of streams is drawn: on average, a little more or less.
    expect(share).toBeLessThanOrEqual(most * 1.01);
    const estimate = (ESTIMATE / 5) * story.tooHigh;
    expect(share).toBeGreaterThan(most * (1 - estimate / story.policy.limit));
  });
});

test("Redis tells the same story as memory", { timeout: 60_000 }, async () => {
  const story = storyOf("sliding-window-log", "1m", { windows: 2 });
  const inRedis = (now: () => number) =>
    ({ redis: redisWithClock(redis, now), timeout: "10s", onFailure: "closed" }) as const;
  expect(await tell(story, inRedis)).toEqual(await tell(story));
});

test("docs/late-costs.md tells these shares", () => {
  const rows = readFileSync("docs/late-costs.md", "utf8")
    .split("\n")
    .filter((line) => /^\| `[a-z-]+` .* % /.test(line))
    .map((line) => line.split("|").map((cell) => cell.trim().replaceAll("`", "")));
  expect(rows.map((cells) => cells.slice(1, -1))).toEqual(
    SHARES.map(([algorithm, ...shares]) =>
      [algorithm].concat(shares.map((share) => `${Math.round(share)} %`)),
    ),
  );
});
