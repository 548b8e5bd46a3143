import fc from "fast-check";
import { expect, test } from "vitest";

import { type TokenBucketOptions, tokenBucket } from "../../src/algorithms/token-bucket.ts";
import { Faults } from "../../src/options/faults.ts";
import { compilePolicies } from "../../src/policy/compile.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { runs } from "../support/runs.ts";

/** Units that come back in a second. */
function rateOf(options: TokenBucketOptions): number {
  const { intervalUs = 0, divisor = 0 } = compilePolicy(tokenBucket(options)).parameters;
  expect(options.limit * intervalUs).toBeLessThan(2 ** 51);
  return (divisor * 1e6) / intervalUs;
}

test("a rate whose exact fraction is too long is kept all the same", () => {
  const rate = rateOf({ limit: 1e9, refill: 7e7 - 1, per: "200s" });
  expect(rate).toBeLessThanOrEqual((7e7 - 1) / 200);
  expect(rate).toBeGreaterThan(349_999);
});

const magnitude = (least: number, most: number) =>
  fc
    .double({ min: Math.log(least), max: Math.log(most), noNaN: true })
    .map((log) => Math.min(most, Math.round(Math.exp(log))));

test("for any numbers, never a unit too many comes back, and none in ten thousand too few", () => {
  let inexact = 0;
  fc.assert(
    fc.property(
      // Half of them so large that many a fraction is too long.
      fc.oneof(magnitude(1, 1e9), magnitude(1e6, 1e9)),
      fc.oneof(magnitude(1, 1e9), magnitude(1e5, 1e9)),
      fc.oneof(magnitude(1e3, 366 * 86_400e6), magnitude(1e7, 1e10)),
      (limit, refill, microseconds) => {
        const policy = tokenBucket({ limit, refill, per: `${microseconds / 1000}ms` });
        const faults = new Faults();
        const [compiled] = compilePolicies([policy], "policies", faults);
        fc.pre(faults.list.length === 0);
        const { intervalUs = 0, divisor = 0 } = compiled!.parameters;
        // Compared as whole numbers, because doubles would say that they are equal.
        const ours = BigInt(intervalUs) * BigInt(refill);
        const wanted = BigInt(microseconds) * BigInt(divisor);
        expect(ours).toBeGreaterThanOrEqual(wanted);
        expect((ours - wanted) * 10_000n).toBeLessThanOrEqual(wanted);
        expect(limit * intervalUs).toBeLessThan(2 ** 51);
        if (ours !== wanted) inexact++;
      },
    ),
    { numRuns: runs(20_000) },
  );
  // Not for want of trying.
  expect(inexact).toBeGreaterThan(runs(20_000) / 200);
});

test.for<[TokenBucketOptions, parameters: [number, number]]>([
  [{ limit: 20, refill: 10, per: "1s" }, [100_000, 1]],
  [{ limit: 7, refill: 3, per: "1s" }, [1_000_000, 3]],
  [{ limit: 1, refill: 1e9, per: "1ms" }, [1, 1_000_000]],
  [{ limit: 1, refill: 1, per: "366d" }, [31_622_400_000_000, 1]],
])("a fraction that fits is exact: %o", ([options, parameters]) => {
  expect(compilePolicy(tokenBucket(options)).parameters).toEqual({
    intervalUs: parameters[0],
    divisor: parameters[1],
  });
});
