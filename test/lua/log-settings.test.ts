import fc from "fast-check";
import { expect, test } from "vitest";

import type { Operation } from "../../src/algorithms/model.ts";
import { refund as refundModel } from "../../src/algorithms/refund.ts";
import type { SlidingWindowLogState } from "../../src/algorithms/runs.ts";
import { slidingWindowLog } from "../../src/algorithms/sliding-window-log.ts";
import { algorithmScript, FUTURE } from "../support/algorithm-script.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { least, runs } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";
import { keyOn } from "./key-on.ts";
import { refundScript } from "./refund-script.ts";

/* A log that several settings ask by turns, in Redis and in its model, which test/model holds to its promise. */

const redis = testRedis();

const setting = fc.record({
  limit: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 13, max: 60 })),
  windowMs: fc.constantFrom(1, 7, 100, 1_000, 60_000),
});

const BESIDE = [
  [0, 0],
  [0, -1],
  [2, 0],
  [2, -1],
] as const;

function besideRenewal(
  { renewalMs, longestUs }: SlidingWindowLogState,
  [windows, nudge]: (typeof BESIDE)[number],
): number {
  return 1000 * renewalMs - windows * longestUs + nudge;
}

const step = fc.record({
  /** A share of the longest window. */
  gap: fc.oneof(
    { weight: 6, arbitrary: fc.double({ min: 0, max: 0.1, noNaN: true }) },
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.double({ min: 0.1, max: 2.5, noNaN: true }) },
    { weight: 1, arbitrary: fc.double({ min: -1.5, max: 0, noNaN: true }) },
  ),
  /** To a renewal, or to where one lies too far ahead: `[windows before it, nudge]`. */
  beside: fc.oneof(
    { weight: 20, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...BESIDE) },
  ),
  which: fc.nat(3),
  cost: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 60 })),
  operation: fc.constantFrom<Operation | "ask" | "refund">(
    "consume",
    "consume",
    "consume",
    "charge",
    "ask",
    "peek",
    "refund",
  ),
});

test("agrees with its model, for any settings that ask by turns", async () => {
  const decide = algorithmScript(redis, "sliding-window-log");
  const refund = refundScript(redis, "sliding-window-log");
  let [pushed, mixed, given] = [0, 0, 0];
  await fc.assert(
    fc.asyncProperty(
      fc.array(setting, { minLength: 2, maxLength: 4 }),
      fc.array(step, { minLength: 1, maxLength: 80, size: "max" }),
      async (settings, steps) => {
        const policies = settings.map(({ limit, windowMs }) =>
          compilePolicy(slidingWindowLog({ name: "log", limit, window: `${windowMs}ms` })),
        );
        const longestUs = Math.max(...policies.map(({ windowUs }) => windowUs));
        const key = `log:{${crypto.randomUUID()}}`;
        const takes: number[] = [];
        let now = FUTURE + 86_400e6;
        let state: unknown;
        for (const { gap, beside, which, cost, operation } of steps) {
          now += Math.round(gap * longestUs);
          if (beside && state) now = besideRenewal(state as SlidingWindowLogState, beside);
          const { implementation, limit, parameters } = policies[which % policies.length]!;
          if (operation === "refund") {
            const takenAtUs = takes.at(-1 - (cost % 8));
            if (takenAtUs === undefined) continue;
            const request = { nowUs: now, takenAtUs, cost, limit, parameters };
            const expected =
              takenAtUs > now
                ? { refunded: 0, state }
                : refundModel("sliding-window-log", state, request);
            ({ state } = expected);
            expect(await refund(key, request)).toBe(expected.refunded);
            given += expected.refunded;
            continue;
          }
          const units = operation === "charge" ? cost : Math.min(cost, limit);
          const request = { nowUs: now, operation, cost: units, limit, parameters } as const;
          const { state: kept, ...expected } = implementation.model(state, request);
          const { pushed: out, longestUs: longest } = (kept ?? {}) as Record<string, number>;
          if (out! > 0) pushed++;
          if (longest! > parameters["windowUs"]!) mixed++;
          if (kept !== state) takes.push(now);
          state = kept;
          expect(await decide(key, request)).toEqual(expected);
          if (!state) continue;
          const { renewalMs } = state as SlidingWindowLogState;
          expect((await redis.getrangeBuffer(key, 0, 5)).readUIntBE(0, 6)).toBe(renewalMs);
        }
        expect(state === undefined || (await redis.pttl(key)) > 0).toBe(true);
      },
    ),
    { numRuns: runs(300) },
  );
  expect(Math.min(pushed, mixed, given)).toBeGreaterThan(least(1_000));
});

test("lives until the longest window that asks it holds nothing, and no longer than two", async () => {
  const counted = keyOn(redis, "sliding-window-log");
  const [short, long] = ["10s", "60s"].map((window) =>
    compilePolicy(slidingWindowLog({ name: "log", limit: 3, window: window as "10s" })),
  );
  const ask = async (policy: typeof short, operation: Operation, atMs: number) => {
    await counted.ask(policy!, operation, FUTURE + 1000 * atMs);
    const expiresMs = await redis.pexpiretime(counted.key);
    return Math.round((expiresMs - FUTURE / 1000 - atMs) / 1000);
  };
  expect(await ask(short, "consume", 0)).toBe(20);
  // A look under the longer window keeps nothing alive; a request does.
  expect(await ask(long, "peek", 1)).toBe(20);
  expect(await ask(long, "consume", 2)).toBe(120);
  expect(await ask(short, "consume", 30_000)).toBe(90);
  expect(await ask(short, "consume", 63_000)).toBe(120);
  expect(await ask(short, "consume", 100_000)).toBe(83);
  // The second renewal since the longer window has asked.
  expect(await ask(short, "consume", 124_000)).toBe(20);
});

test("counts no more units that were pushed out than its record has digits for", async () => {
  const counted = keyOn(redis, "sliding-window-log");
  const { key } = counted;
  const policy = compilePolicy(slidingWindowLog({ limit: 3, window: "60s" }));
  const ask = (operation: Operation, cost: number, atMs: number) =>
    counted.ask(policy, operation, FUTURE + 1000 * atMs, cost);
  const pushed = () => redis.getrange(key, 50, 55);
  await ask("consume", 3, 0);
  await ask("charge", 3, 1);
  expect(await pushed()).toBe("000003");
  await redis.setrange(key, 50, "fffffe");
  await ask("charge", 2, 2);
  expect(await pushed()).toBe("ffffff");
  const full = { allowed: false, remaining: 0 };
  expect(await ask("consume", 1, 60_000)).toEqual({
    ...full,
    retryAfterUs: 1e3,
    resetAfterUs: 2e3,
  });
  // They leave with the unit that was taken after them.
  expect(await ask("consume", 1, 60_001)).toMatchObject({ allowed: true, remaining: 0 });
});
