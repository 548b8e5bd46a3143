import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { everyPolicy } from "../support/every-policy.ts";
import {
  createLimiter,
  fixedWindow,
  memoryStore,
  type Policy,
  segmentedWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from "../support/limiter/plain.ts";

/* The answers to requests while a policy is in debt. */

const LIMIT = 10;
const policies = everyPolicy(LIMIT, "1h").map((policy) =>
  Object.assign(policy, { name: "tokens" }),
);

const START_US = Date.UTC(2030, 0, 1) * 1000;

describe("a request that costs nothing", () => {
  test.for(policies)("waits until a debt is paid, and no longer: $algorithm", async (policy) => {
    let nowUs = START_US;
    const store = memoryStore({ now: () => nowUs });
    // An isolate that knows no denial asks each time.
    const limiter = createLimiter({ store, policies: [policy], denialCache: false });
    await limiter.charge("ada", LIMIT);
    expect(await limiter.limit("ada", { cost: 0 })).toMatchObject({ allowed: true });
    await limiter.charge("ada", LIMIT / 2);
    const owes = await limiter.limit("ada", { cost: 0 });
    expect(owes).toMatchObject({ allowed: false, reason: "limited", status: 429 });
    expect(await limiter.peek("ada", { cost: 0 })).toMatchObject({ allowed: false });
    nowUs += owes.retryAfterMs * 1000 - 1;
    expect(await limiter.limit("ada", { cost: 0 })).toMatchObject({ allowed: false });
    nowUs += 1;
    expect(await limiter.limit("ada", { cost: 0 })).toMatchObject({ allowed: true });
  });

  test.for(policies)(
    "is denied with all others by one policy in debt: $algorithm",
    async (policy) => {
      const store = memoryStore({ now: () => START_US });
      const calls = fixedWindow({ name: "calls", limit: 5, window: "1h" });
      const limiter = createLimiter({ store, policies: [policy, calls] });
      await limiter.charge("ada", { tokens: LIMIT, calls: 0 });
      await limiter.charge("ada", { tokens: 1, calls: 0 });
      expect(await limiter.limit("ada", { cost: { tokens: 0 } })).toMatchObject({
        allowed: false,
        policies: [
          { name: "tokens", allowed: false },
          { name: "calls", allowed: true, remaining: 5 },
        ],
      });
    },
  );
});

/** A second, in microseconds. */
const SECOND_US = 1e6;
const SEGMENTS = 4;
const segment = (us: number) => Math.floor((us * SEGMENTS) / SECOND_US);

/** For each kind of window, whether units of one moment still count at another. */
const windows: [policy: Policy, counts: (takenUs: number, nowUs: number) => boolean][] = [
  [
    fixedWindow({ limit: LIMIT, window: "1s" }),
    (taken, now) => Math.floor(taken / SECOND_US) === Math.floor(now / SECOND_US),
  ],
  [slidingWindowLog({ limit: LIMIT, window: "1s" }), (taken, now) => taken > now - SECOND_US],
  [
    segmentedWindow({ limit: LIMIT, window: "1s", segments: SEGMENTS }),
    (taken, now) => segment(taken) >= segment(now) - SEGMENTS,
  ],
];

describe("a debt above the limit", () => {
  test.each(windows)(
    "denies as long as a ledger that cuts nothing: $algorithm",
    async (policy, counts) => {
      const step = fc.record({
        waitUs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 400_000 })),
        units: fc.integer({ min: 0, max: 3 * LIMIT }),
      });
      let denials = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
          let nowUs = START_US;
          const store = memoryStore({ now: () => nowUs });
          const limiter = createLimiter({ store, policies: [policy], denialCache: false });
          const taken: { readonly atUs: number; readonly units: number }[] = [];
          for (const { waitUs, units } of steps) {
            nowUs += waitUs;
            const used = taken
              .filter(({ atUs }) => counts(atUs, nowUs))
              .reduce((sum, each) => sum + each.units, 0);
            const { allowed } = await limiter.peek("ada");
            if (!allowed) denials++;
            expect(allowed).toBe(used < LIMIT);
            if (units > 0) await limiter.charge("ada", units);
            taken.push({ atUs: nowUs, units });
          }
        }),
      );
      expect(denials).toBeGreaterThan(100);
    },
  );

  test("is paid by a bucket up to the limit", async () => {
    let nowUs = START_US;
    const store = memoryStore({ now: () => nowUs });
    const policies = [tokenBucket({ limit: LIMIT, refill: LIMIT, per: "1s" })];
    const limiter = createLimiter({ store, policies, denialCache: false });
    for (const units of [2 * LIMIT, 3 * LIMIT]) {
      const identity = `charged ${units}`;
      await limiter.charge(identity, units);
      const { retryAfterMs } = await limiter.peek(identity);
      expect(retryAfterMs).toBe(1000 + 1000 / LIMIT);
    }
    nowUs += 1000 * (1000 + 1000 / LIMIT);
    expect((await limiter.peek("charged 30")).allowed).toBe(true);
  });

  test("is carried into a counter's next window in full, and ends with it", async () => {
    let nowUs = START_US;
    const store = memoryStore({ now: () => nowUs });
    const policies = [slidingWindowCounter({ limit: LIMIT, window: "1s" })];
    const limiter = createLimiter({ store, policies, denialCache: false });
    await limiter.charge("twice", 2 * LIMIT);
    await limiter.charge("four times", 4 * LIMIT);
    // A unit has room where less than nine tenths of the limit are carried over.
    const waits = { twice: 1.55, "four times": 1.775 };
    for (const [identity, windows] of Object.entries(waits)) {
      nowUs = START_US;
      const { retryAfterMs } = await limiter.peek(identity);
      expect(retryAfterMs).toBe(1000 * windows);
      nowUs += windows * SECOND_US - 1;
      expect(await limiter.peek(identity)).toMatchObject({ allowed: false });
      nowUs += 1;
      expect(await limiter.peek(identity)).toMatchObject({ allowed: true });
    }
    nowUs = START_US + 2 * SECOND_US;
    expect((await limiter.peek("four times")).policies[0]!.remaining).toBe(LIMIT);
  });
});
