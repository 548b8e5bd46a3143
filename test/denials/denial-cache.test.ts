import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";

import { createDenialCache } from "../../src/decide/denial-cache.ts";
import type { Reply } from "../../src/store/store.ts";
import { runs } from "../support/runs.ts";
import { modelDenialCache } from "./denial-model.ts";

afterEach(() => vi.restoreAllMocks());

/** What Redis's clock showed with every reply, in microseconds. */
const SHOWN = 1_800_000_000_000_000;

/** A reply that tells to wait for this many milliseconds. */
const waiting = (wait: number): Reply => ({
  nowUs: SHOWN,
  rows: [{ allowed: false, remaining: 0, retryAfterUs: wait * 1000, resetAfterUs: wait * 2000 }],
});

test("a denial is known from the moment of sending for the wait less the drift", () => {
  const cache = createDenialCache(10, 1);
  cache.learn("a", [1], 1_000, waiting(10_000));
  // As it stands then: the time since the sending is taken off, and Redis's clock has moved on by as much.
  expect(cache.find("a", [1], 10_994)).toEqual({
    state: "denied",
    nowUs: SHOWN + 9_994_000,
    rows: [{ allowed: false, remaining: 0, retryAfterUs: 6_000, resetAfterUs: 10_006_000 }],
  });
  expect(cache.find("a", [1], 10_995).state).toBe("expired");
  // Until the one who asks drops it.
  expect(cache.find("a", [1], 10_995).state).toBe("expired");
  cache.drop("a");
  expect(cache.find("a", [1], 10_995).state).toBe("unknown");
});

test("no denial is trusted for more than a minute, because another isolate may have reset it", () => {
  const cache = createDenialCache(10, 1);
  cache.learn("a", [1], 0, waiting(86_400_000));
  expect(cache.find("a", [1], 59_999).state).toBe("denied");
  expect(cache.find("a", [1], 60_000).state).toBe("expired");
});

test("it stays within its entries, and the ones in use stay", () => {
  const cache = createDenialCache(3, 1);
  for (const partition of ["hot", "b", "c"]) cache.learn(partition, [1], 0, waiting(10_000));
  for (let flood = 0; flood < 1_000; flood++) {
    expect(cache.find("hot", [1], 1).state).toBe("denied");
    cache.learn(`flood-${flood}`, [1], 1, waiting(10_000));
  }
  expect(cache.find("hot", [1], 1).state).toBe("denied");
  expect(cache.find("flood-999", [1], 1).state).toBe("denied");
  expect(cache.find("flood-998", [1], 1).state).toBe("denied");
  expect(cache.find("flood-997", [1], 1).state).toBe("unknown");
});

/** Texts that are easily taken for one another, or for nothing. */
const partition = fc.oneof(
  fc.nat(60).map((group) => `2001:db8:${group.toString(16)}::/64`),
  fc.nat(60).map((digit) => `user:00000000-0000-4000-8000-0000000000${digit}`),
  fc.constantFrom(..."A,aÿ\0\u012c\u01ff\ufffd", "", "a\0", "\0a", "\ud800"),
  fc.constantFrom(23, 24, 25, 127, 128, 129, 253, 254, 255, 256, 300).map((n) => "a".repeat(n)),
  fc.string({ unit: "binary", maxLength: 40 }),
);

const row = fc.record({
  allowed: fc.boolean(),
  remaining: fc.constantFrom(0, 1, 1e9),
  retryAfterUs: fc.constantFrom(0, 1, 300_000, 2_000_000, 1e12),
  resetAfterUs: fc.constantFrom(1, 2_000_000, 2_592e9),
});

/** One item for each policy, and those of other groups of policies before and after. */
const listOf = <Item>(policies: number, item: fc.Arbitrary<Item>) =>
  fc.array(item, { minLength: policies + 1, maxLength: policies + 1 });

const step = (policies: number) =>
  fc.record({
    what: fc.constantFrom("learn", "learn", "learn", "find", "find", "find", "drop", "forget"),
    which: fc.nat(79),
    costs: listOf(policies, fc.constantFrom(0, 1, 2, 1e9)),
    rows: listOf(policies, row),
    deniedBefore: fc.boolean(),
    /** Since the step before, and since the request was sent. Milliseconds. */
    passed: fc.constantFrom(0, 0, 0.3, 20, 900),
    underWay: fc.constantFrom(0, 0.2, 40),
  });

const run = fc.integer({ min: 1, max: 3 }).chain((policies) =>
  fc.record({
    policies: fc.constant(policies),
    maxEntries: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 60 })),
    partitions: fc.uniqueArray(partition, { minLength: 1, maxLength: 80, size: "max" }),
    steps: fc.array(step(policies), { maxLength: 300, size: "max" }),
  }),
);

test.for([{ hash: "drawn" }, { hash: "the same for every partition" }])(
  "it answers as the model does, hash $hash",
  ({ hash }) => {
    if (hash !== "drawn") vi.spyOn(crypto, "getRandomValues").mockImplementation((array) => array);
    fc.assert(
      fc.property(run, ({ policies, maxEntries, partitions, steps }) => {
        const cache = createDenialCache(maxEntries, policies);
        const model = modelDenialCache(maxEntries, policies);
        let now = 0;
        for (const { what, which, costs, rows, deniedBefore, passed, underWay } of steps) {
          const partition = partitions[which % partitions.length]!;
          now += passed;
          for (const each of [cache, model]) {
            if (what === "learn") {
              const reply = { nowUs: 1e15 + which, rows };
              each.learn(partition, costs, now - underWay, reply, deniedBefore);
            } else if (what === "forget") each.forget(partition, now);
            else if (what === "drop") each.drop(partition, which % 2 ? now - underWay : undefined);
          }
          expect(cache.find(partition, costs, now)).toEqual(model.find(partition, costs, now));
        }
        // The remaining entries are the same too: none was dropped too early, nor kept too long.
        const most = Array.from({ length: policies }, () => 1e9);
        for (const partition of partitions) {
          expect(cache.find(partition, most, now)).toEqual(model.find(partition, most, now));
        }
      }),
      { numRuns: runs(300) },
    );
  },
);

test("thousands of denials come and go as in the model", () => {
  const cache = createDenialCache(1_000, 1);
  const model = modelDenialCache(1_000, 1);
  const rows = [{ allowed: false, remaining: 0, retryAfterUs: 1e7, resetAfterUs: 1e7 }];
  const reply = { nowUs: 1e15, rows };
  for (let i = 0; i < 5_000; i++) {
    // Every third is one that has been there lately.
    const partition = `2001:db8:${(i % 3 === 0 ? (i * 7) % (i + 1) : i).toString(16)}::/64`;
    const now = i / 1_000;
    expect(cache.find(partition, [1], now)).toEqual(model.find(partition, [1], now));
    cache.learn(partition, [1], now, reply);
    model.learn(partition, [1], now, reply);
  }
});
