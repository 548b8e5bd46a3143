import { expect, test } from "vitest";

import { fixedWindow } from "../../src/index.ts";
import { createStoreMeter } from "../../src/metrics/store-meter.ts";
import { StoreError } from "../../src/options/errors.ts";
import { leaseBoundOf } from "../../src/policy/tighten.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import { compilePolicy } from "../support/compile-policy.ts";

test("a store's times and failures are given away once", async () => {
  let nowMs = 0;
  // A bucket has the times up to its bound, and that one itself.
  const tookMs = [5.5, 10, 10.001, 1_000, 1_000.5];
  const meter = createStoreMeter(() => nowMs);
  const drained = () => {
    const found: Record<string, number> = {};
    meter.drain((field, count) => void (found[field] = count));
    return found;
  };
  const reply = await openMemoryStore().decide("peek", [], [], []);
  const store = meter.measured({
    ...openMemoryStore(),
    async decide() {
      const ms = tookMs.shift();
      if (ms === undefined) throw new StoreError("ERR_STORE_SUSPENDED", "suspended");
      nowMs += ms;
      return reply;
    },
  });
  const decide = () => store.decide("peek", [], [], []);
  while (tookMs.length > 0) await decide();
  await expect(decide()).rejects.toThrow("suspended");
  meter.commands(1);
  // Answers within 10, 25 and 1,000 ms and a longer one, their microseconds, a suspended one, and a command.
  expect(drained()).toEqual({
    sd: 2,
    se: 1,
    si: 1,
    sj: 1,
    ef: 1,
    t: 2_026_001,
    c: 1,
  });
  expect(drained()).toEqual({});
});

test("units that isolates admitted without room in a policy are counted, and no other charge", async () => {
  const meter = createStoreMeter(() => 0);
  const store = meter.measured(openMemoryStore());
  const plain = compilePolicy(fixedWindow({ name: "plain", limit: 3, window: "1h" }));
  const ahead = { ...plain, optimistic: { unsettled: 2, above: 0.5 } };
  for (const [key, policy] of [
    ["a", plain],
    ["b", ahead],
  ] as const) {
    for (let i = 0; i < 3; i++) await store.decide("charge", [key], [2], [policy]);
    await store.decide("consume", [key], [1], [policy]);
  }
  const found: Record<string, number> = {};
  meter.drain((field, count) => void (found[field] = count));
  expect(found["x"]).toBe(4);
  meter.drain((field) => void expect(field).not.toBe("x"));
});

test("units ahead of the store are counted by policy: a lease's beyond its request, and what optimism settles", async () => {
  const meter = createStoreMeter(() => 0);
  const store = meter.measured(openMemoryStore());
  const leased = compilePolicy(fixedWindow({ name: "leased", limit: 10_000, window: "1h" }));
  const plain = compilePolicy(fixedWindow({ name: "plain", limit: 100, window: "1h" }));
  const early = { ...plain, name: "early", optimistic: { unsettled: 2, above: 0.5 } };
  const lease = { own: 1, bounds: [leaseBoundOf(leased)], spent: [] };
  await store.decide("lease", ["a"], [10], [leased], undefined, lease);
  await store.decide("lease", ["b"], [1], [leased], undefined, lease);
  await store.decide("charge", ["c"], [3], [early]);
  for (const operation of ["charge", "consume"] as const)
    await store.decide(operation, ["d"], [3], [plain]);
  const found: Record<string, number> = {};
  meter.drain((field, count) => void (found[field] = count));
  expect(Object.entries(found).filter(([field]) => field.startsWith("a"))).toEqual([
    ["aleased", 9],
    ["aearly", 3],
  ]);
  meter.drain((field) => void expect(field).not.toMatch(/^a/));
});
