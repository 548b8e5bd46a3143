import { expect, test, vi } from "vitest";

import { compilePlan } from "../../src/features/plans/read-plan.ts";
import { createLimiter, fixedWindow, memoryStore, type Store } from "../../src/index.ts";
import { Faults } from "../../src/options/faults.ts";

/** A store that counts its calls. */
function countingStore(): { readonly store: Store; readonly calls: () => number } {
  const memory = memoryStore();
  let calls = 0;
  const store: Store = {
    ...memory,
    decide(...request) {
      calls++;
      return memory.decide(...request);
    },
  };
  return { store, calls: () => calls };
}

test("a denial known under a client's plan is known at its next request", async () => {
  const { store, calls } = countingStore();
  const policies = [fixedWindow({ name: "p", limit: 9, window: "1d" })];
  const limiter = createLimiter({ store, policies, plans: { free: { p: { limit: 1 } } } });
  const reasons: string[] = [];
  for (let i = 0; i < 3; i++) {
    reasons.push((await limiter.limit("ada", { plan: "free" })).reason);
  }
  expect(reasons).toEqual(["allowed", "cached-denial", "cached-denial"]);
  expect(calls()).toBe(1);
});

test("a denial known of a dimension is known under a plan that leaves its policies as they are", async () => {
  const { store, calls } = countingStore();
  const policies = [
    fixedWindow({ name: "user", limit: 9, window: "1d", by: "user" }),
    fixedWindow({ name: "key", limit: 1, window: "1d", by: "key" }),
  ];
  const limiter = createLimiter({ store, policies, plans: { gold: { user: { limit: 99 } } } });
  const identity = { user: "ada", key: "k" };
  expect((await limiter.limit(identity)).reason).toBe("allowed");
  const own = await limiter.limit(identity, { plan: "gold" });
  expect([own.reason, calls()]).toEqual(["cached-denial", 1]);
});

test("an empty header names no plan, and one that does not exist is reported", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  const read = compilePlan("header:x-plan", { gold: {} }, new Faults())!;
  const planOf = (plan: string) =>
    read(undefined, {
      request: new Request("https://a.b", { headers: { "x-plan": plan } }),
    } as never);
  expect([planOf(""), planOf("gold"), warn.mock.calls.length]).toEqual([undefined, "gold", 0]);
  expect([planOf("silver"), warn.mock.calls.length]).toEqual([undefined, 1]);
  warn.mockRestore();
});

test("of more than 30 unknown policies of a plan, the first 30 are faults", () => {
  const names = Array.from({ length: 31 }, (_, i) => `unknown${i}`);
  const free = Object.fromEntries(names.map((name) => [name, { limit: 1 }]));
  const policies = [fixedWindow({ name: "p", limit: 9, window: "1d" })];
  expect(() => createLimiter({ store: memoryStore(), policies, plans: { free } })).toThrow(
    expect.objectContaining({
      faults: names
        .slice(0, 30)
        .map((name) => expect.objectContaining({ path: `plans.free.${name}` })),
    }),
  );
});
