import { expect, test, vi } from "vitest";

import { compilePlan } from "../../src/features/plans-feature.ts";
import { Faults } from "../../src/options/faults.ts";
import { createLimiter, fixedWindow, memoryStore } from "../support/limiter/plain.ts";
import { watchedStore } from "../support/limiter/watched-store.ts";

test("a denial known under a client's plan is known at its next request", async () => {
  const { store, asked } = watchedStore();
  const policies = [fixedWindow({ name: "p", limit: 9, window: "1d" })];
  const limiter = createLimiter({ store, policies, plans: { free: { p: { limit: 1 } } } });
  const reasons: string[] = [];
  for (let i = 0; i < 3; i++) {
    reasons.push((await limiter.limit("ada", { plan: "free" })).reason);
  }
  expect(reasons).toEqual(["allowed", "cached-denial", "cached-denial"]);
  expect(asked).toHaveLength(1);
});

test("an empty header names no plan, and one that does not exist is reported", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  const read = compilePlan("header:x-plan", { gold: {} }, new Faults())!;
  const planOf = (plan: string) =>
    read(undefined, {
      request: new Request("https://a.example", { headers: { "x-plan": plan } }),
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
