import { expect, test } from "vitest";

import { readLease } from "../../src/features/leases/read-lease.ts";
import { Faults } from "../../src/options/faults.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import {
  createLimiter,
  fixedWindow,
  memoryStore,
  type Policy,
  slidingWindowLog,
} from "../support/limiter/plain.ts";

/** The remedy for a lease of 50 ms. */
function remedyFor(window: "100ms" | "99ms"): string {
  const faults = new Faults();
  const policy = compilePolicy(slidingWindowLog({ limit: 9, window }));
  expect(readLease("50ms", "lease", [policy], faults)).toBeUndefined();
  return faults.list[0]!.remedy;
}

test("a lease that is too long is told the longest that fits, if one of 10 ms does", () => {
  expect(remedyFor("100ms")).toContain('give "10ms" or less');
  expect(remedyFor("99ms")).toContain("No lease fits");
});

test("a limiter's lease has to fit the policies without one of their own", () => {
  const log = slidingWindowLog({ name: "log", by: "key", limit: 9, window: "1s" });
  const all = fixedWindow({ name: "all", by: "ip", limit: 9, window: "1s" });
  const limiterWith = (policy: Policy) => () =>
    createLimiter({ store: memoryStore(), lease: "500ms", policies: [policy, all] });
  expect(limiterWith({ ...log, lease: "50ms" })).not.toThrow();
  expect(limiterWith(log)).toThrow('give "100ms" or less');
});
