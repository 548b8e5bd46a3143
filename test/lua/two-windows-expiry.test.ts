import { expect, test } from "vitest";

import { type Policy, segmentedWindow, slidingWindowCounter } from "../../src/index.ts";
import { algorithmScript, FUTURE } from "../support/algorithm-script.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { testRedis } from "../support/test-redis.ts";
import { keyOn } from "./key-on.ts";

/* The ttl of a key with several settings, and its effect. */

const redis = testRedis();

type Window = `${number}s`;

test.for([
  {
    algorithm: "segmented-window" as const,
    build: (window: Window): Policy => segmentedWindow({ limit: 100, window, segments: 10 }),
    // A header, and for each of four settings 22 bytes and eleven counts.
    bytes: 1 + 4 * (22 + 4 * 11),
  },
  {
    algorithm: "sliding-window-counter" as const,
    build: (window: Window): Policy => slidingWindowCounter({ limit: 100, window }),
    bytes: 1 + 4 * 27,
  },
])(
  "$algorithm: a key of several settings is bounded, outlives the longest, and shrinks again",
  async ({ algorithm, build, bytes }) => {
    const { key, ask } = keyOn(redis, algorithm);
    const take = (window: Window, nowUs: number) =>
      ask(compilePolicy(build(window)), "consume", nowUs);
    await take("600s", FUTURE);
    await take("10s", FUTURE + 1);
    const expires = await redis.pexpiretime(key);
    expect(expires * 1000).toBeGreaterThan(FUTURE + 600e6);
    for (let window = 20; window < 40; window++) await take(`${window}s`, FUTURE + window);
    expect(await redis.strlen(key)).toBeLessThanOrEqual(bytes);
    // When the others have not asked for two windows, one is left.
    await take("10s", FUTURE + 1300e6);
    await take("10s", FUTURE + 1400e6);
    expect(await redis.strlen(key)).toBeLessThanOrEqual(20 + 4 * 11);
    expect((await redis.pexpiretime(key)) * 1000).toBeLessThan(FUTURE + 1430e6);
  },
);

test("segmented-window: a charge that was cut off to nothing makes no request wait for a segment without units", async () => {
  const decide = algorithmScript(redis, "segmented-window");
  const key = `cut:{${crypto.randomUUID()}}`;
  const { model } = compilePolicy(segmentedWindow({ limit: 1, window: "1s" })).implementation;
  let state: unknown;
  const both = async (
    operation: "consume" | "charge" | "peek" | "ask",
    window: Window,
    limit: number,
    cost: number,
  ) => {
    const { parameters } = compilePolicy(segmentedWindow({ limit, window, segments: 10 }));
    const request = { nowUs: FUTURE, operation, cost, limit, parameters };
    const { state: kept, ...expected } = model(state, request);
    state = kept;
    expect(await decide(key, request)).toEqual(expected);
    return expected;
  };
  await both("consume", "100s", 10, 10);
  // The other setting's grid is made of the first, whose units lie one segment back there.
  expect((await both("ask", "200s", 10, 1)).resetAfterUs).toBe(200e6);
  await both("charge", "100s", 1, 5);
  expect((await both("peek", "200s", 10, 1)).resetAfterUs).toBe(200e6);
});
