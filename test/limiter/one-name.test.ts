import { describe, expect, test } from "vitest";

import { everyPolicy } from "../support/every-policy.ts";
import { createLimiter, memoryStore, tokenBucket } from "../support/limiter/plain.ts";

/*
 * A denial that one isolate knows can end by another: under a plan with other numbers, or by a refund to a policy that is
 * `refundable` there alone. Redis then has room, and the isolate denies for a bounded while.
 */

const START_US = Date.UTC(2030, 0, 1) * 1000;
const SECOND_US = 1_000_000;

/** No denial is trusted for longer, in seconds. */
const MOST = 60;
/** The share of a wait for which a denial is trusted: clocks drift apart. */
const TRUSTED = 1 - 5e-4;

function clockedStore() {
  const clock = { nowUs: START_US };
  return { clock, store: memoryStore({ now: () => clock.nowUs }) };
}

describe("a denial that another isolate's decision under a lower plan has ended", () => {
  const bucket = tokenBucket({ name: "calls", limit: 100, refill: 100, per: "1h" });
  const plans = { low: { calls: { limit: 10, refill: 36_000 } } };

  test.for<[cost: number, lasts: number]>([
    // Of 100, 10 are used: 91 wait for one unit, 95 for five, of 36 s each.
    [91, 36 * TRUSTED],
    [95, MOST],
  ])("is given for its own wait, and a minute at most: a cost of %i", async ([cost, lasts]) => {
    const { clock, store } = clockedStore();
    const [one, other] = [0, 0].map(() => createLimiter({ store, policies: [bucket], plans }));
    await other!.limit("ada", { cost: 10 });
    expect(await one!.limit("ada", { cost })).toMatchObject({ allowed: false, reason: "limited" });
    await other!.limit("ada", { plan: "low" });
    clock.nowUs = START_US + SECOND_US;
    expect(await other!.peek("ada", { cost: 100 })).toMatchObject({ allowed: true });
    clock.nowUs = START_US + lasts * SECOND_US - 1_000;
    expect((await one!.limit("ada", { cost })).reason).toBe("cached-denial");
    clock.nowUs += 1_001;
    expect(await one!.limit("ada", { cost })).toMatchObject({ allowed: true, reason: "allowed" });
  });

  test("ends at once where the isolate itself decided under it", async () => {
    const { clock, store } = clockedStore();
    const limiter = createLimiter({ store, policies: [bucket], plans });
    await limiter.limit("ada", { cost: 10 });
    expect(await limiter.limit("ada", { cost: 95 })).toMatchObject({ allowed: false });
    await limiter.limit("ada", { plan: "low" });
    clock.nowUs += SECOND_US;
    expect(await limiter.limit("ada", { cost: 95 })).toMatchObject({ allowed: true });
  });
});

describe("a denial that a hold of another limiter has ended, where only that one gives back", () => {
  test.for(everyPolicy(10, "1h"))("is given for a minute at most: $algorithm", async (policy) => {
    const { clock, store } = clockedStore();
    const named = { ...policy, name: "tokens" };
    const holding = createLimiter({ store, policies: [{ ...named, refundable: true }] });
    const plain = createLimiter({ store, policies: [named] });
    const hold = await holding.reserve("ada", { cost: 10 });
    expect(await plain.limit("ada")).toMatchObject({ allowed: false, reason: "limited" });
    expect(await hold.release()).toMatchObject({ returned: { tokens: 10 } });
    clock.nowUs = START_US + MOST * SECOND_US - 1_000;
    expect((await plain.limit("ada")).reason).toBe("cached-denial");
    expect(await holding.limit("ada")).toMatchObject({ allowed: true });
    clock.nowUs += 1_001;
    expect(await plain.limit("ada")).toMatchObject({ allowed: true });
  });
});
