import { expect, test } from "vitest";

import { createLimiter, fixedWindow, memoryStore, type Store } from "../../src/index.ts";

test("what is known of a client under its plan is known with its next request", async () => {
  const memory = memoryStore();
  let calls = 0;
  const store: Store = {
    ...memory,
    decide(...request) {
      calls++;
      return memory.decide(...request);
    },
  };
  const policies = [fixedWindow({ name: "p", limit: 9, window: "1d" })];
  const limiter = createLimiter({ store, policies, plans: { free: { p: { limit: 1 } } } });
  const reasons: string[] = [];
  for (let i = 0; i < 3; i++) {
    reasons.push((await limiter.limit("ada", { plan: "free" })).reason);
  }
  expect(reasons).toEqual(["allowed", "cached-denial", "cached-denial"]);
  expect(calls).toBe(1);
});
