import { expect, test } from "vitest";

import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import { scalePolicy } from "../../src/outage/local-share.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";

test("a share changes the limit of every algorithm, and neither name, key nor field options", () => {
  for (const policy of everyPolicy(1000, "1h")) {
    const whole = compilePolicy({ ...policy, advertise: false, onFailure: "open" });
    const { limit, ...rest } = scalePolicy(whole, 0.25);
    expect(limit).toBe(250);
    const { name, key, advertise, onFailure } = whole;
    expect(rest).toMatchObject({ name, key, advertise, onFailure });
    expect(rest.windowUs).toBe(whole.windowUs);
  }
});

test("all of a policy is the policy", () => {
  for (const policy of everyPolicy(1000, "1h")) {
    const whole = compilePolicy(policy);
    expect(scalePolicy(whole, 1)).toBe(whole);
  }
});

/** Units per second. */
const rateOf = ({ parameters }: ReturnType<typeof compilePolicy>) =>
  (parameters["divisor"]! / parameters["intervalUs"]!) * 1e6;

test("a bucket's rate is the share within 0.01 %, and never above it, for any numbers", () => {
  for (const limit of [1, 3, 20, 999_983, 1e9]) {
    for (const refill of [1, 7, 999_983, 1e9]) {
      for (const per of ["1ms", "1s", "1h", "1d"] as const) {
        if ((limit / refill) * (per === "1d" ? 1 : 1 / 24) > 366) continue;
        const whole = compilePolicy(tokenBucket({ limit, refill, per }));
        for (const share of [0.000001, 0.001, 1 / 3, 0.1, 0.5, 0.999999]) {
          const part = scalePolicy(whole, share);
          const ratio = rateOf(part) / (rateOf(whole) * (Math.round(share * 1e6) / 1e6));
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
