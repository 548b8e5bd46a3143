import { MAX_LIMIT, positiveInteger } from "../options/positive-integer.ts";
import type { Policy } from "../policy/policy.ts";
import type { Implementation, Times } from "./implementation.ts";
import type { AlgorithmModel } from "./model.ts";
import { TOKEN_BUCKET as script } from "./scripts.generated.ts";
import { tokenBucket } from "./token-bucket-model.ts";
import { MAX_WINDOW, windowOf } from "./window.ts";

export const TOKEN_BUCKET: Implementation = {
  name: "token-bucket",
  options: ["refill", "per"],
  maxLimit: MAX_LIMIT,
  limitHint: "",
  code: "b",
  ttl,
  script,
  model: tokenBucket as AlgorithmModel<unknown>,

  /** An interval and a divisor: one unit comes back every interval / divisor microseconds. */
  times(policy, limit, path, faults) {
    const { refill, per } = policy as Extract<Policy, { algorithm: "token-bucket" }>;
    const units = positiveInteger(refill, MAX_LIMIT, `${path}.refill`, faults);
    const microseconds = windowOf(per, `${path}.per`, faults);
    const common = greatestCommonDivisor(microseconds, units);
    let parameters: [number, number] = [microseconds / common, units / common];
    if (limit * parameters[0] >= 2 ** 51) {
      // The exact fraction does not fit: one of fewer units that does, off by 0.01 % at most. Rounded up, and by more than
      // a product can be off, so that never a unit too many comes back.
      const fewer = Math.max(1, Math.floor(((2 ** 50 / limit) * units) / microseconds));
      const divisor = Math.min(units, fewer);
      parameters = [Math.ceil(((divisor * microseconds) / units) * (1 + 2 ** -50)), divisor];
    }
    const windowMicroseconds = (limit * parameters[0]) / parameters[1];
    if (windowMicroseconds > MAX_WINDOW) {
      faults.add(
        `${path}.limit`,
        limit,
        `At ${units} per ${per} the bucket would take more than 366 days to refill: lower the limit or raise the refill.`,
      );
    }
    return { windowMicroseconds, parameters };
  },
};

/** Twice what the bucket takes to refill, for the deepest debt; where whole times can be incremented, as a class. */
function ttl({ windowMicroseconds, parameters: [, divisor] }: Times): number {
  const milliseconds = Math.ceil((2 * windowMicroseconds) / 1000) + 1;
  return divisor > 1
    ? milliseconds
    : Math.max(101, Math.ceil(Math.log(milliseconds) / Math.log(1.03)));
}

function greatestCommonDivisor(a: number, b: number): number {
  while (b > 0) [a, b] = [b, a % b];
  return a;
}
