import { expect, test } from "vitest";

import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import { completePolicy } from "../../src/policy/compile.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";

type Compiled = ReturnType<typeof compilePolicy>;

/** One of so many parts of a policy. */
const partOf = (whole: Compiled, limit: number, shards: number): Compiled =>
  completePolicy(whole, whole.implementation.partOf(whole, limit, shards));

test("a part has a lower limit with every algorithm, and the same name, key and field options", () => {
  for (const policy of everyPolicy(1000, "1h")) {
    const whole = compilePolicy({ ...policy, advertise: false, onFailure: "open" });
    const { limit, ...rest } = partOf(whole, 250, 4);
    expect(limit).toBe(250);
    const { name, key, advertise, onFailure } = whole;
    expect(rest).toMatchObject({ name, key, advertise, onFailure });
    expect(rest.windowUs).toBe(whole.windowUs);
  }
});

/** Units per second. */
const rateOf = ({ parameters }: Compiled) =>
  (parameters["divisor"]! / parameters["intervalUs"]!) * 1e6;

test("a bucket's rate is its part within 0.01 %, and never above it, for any numbers", () => {
  for (const limit of [64, 999_983, 1e9]) {
    for (const refill of [1, 7, 999_983, 1e9]) {
      for (const per of ["1ms", "1s", "1h", "1d"] as const) {
        if ((limit / refill) * (per === "1d" ? 1 : 1 / 24) > 366) continue;
        const whole = compilePolicy(tokenBucket({ limit, refill, per }));
        for (const shards of [2, 3, 7, 64]) {
          const part = partOf(whole, Math.ceil(limit / shards), shards);
          const ratio = (rateOf(part) * shards) / rateOf(whole);
          expect(ratio).toBeLessThanOrEqual(1 + 1e-12);
          expect(ratio).toBeGreaterThan(1 - 1e-4);
          // Beyond a century no number has to be exact.
          if (1 / rateOf(part) > 3e9) continue;
          for (const value of Object.values(part.parameters)) {
            expect(Number.isSafeInteger(value)).toBe(true);
          }
          expect(part.limit * part.parameters["intervalUs"]!).toBeLessThan(2 ** 52);
        }
      }
    }
  }
});
