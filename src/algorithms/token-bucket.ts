import type { Policy } from "../policy/policy.ts";
import { MAX_LIMIT, whole } from "../policy/whole.ts";
import { MAX_WINDOW, windowOf } from "../policy/window.ts";
import type { AlgorithmModel } from "../store/memory/algorithm.ts";
import { tokenBucket } from "../store/memory/token-bucket.ts";
import { TOKEN_BUCKET as script } from "../store/scripts.generated.ts";
import type { Implementation } from "./implementation.ts";

export const TOKEN_BUCKET: Implementation = {
  name: "token-bucket",
  options: ["refill", "per"],
  maxLimit: MAX_LIMIT,
  beyond: "",
  lifetime: 3,
  script,
  model: tokenBucket as AlgorithmModel<unknown>,

  /** An interval and a divisor: one unit comes back every interval / divisor microseconds. */
  times(policy, limit, path, faults) {
    const { refill, per } = policy as Extract<Policy, { algorithm: "token-bucket" }>;
    const units = whole(refill, MAX_LIMIT, `${path}.refill`, faults);
    const microseconds = windowOf(per, `${path}.per`, faults);
    const divisor = greatestCommonDivisor(microseconds, units);
    let parameters: [number, number] = [microseconds / divisor, units / divisor];
    if (limit * parameters[0] >= 2 ** 51) {
      // The exact fraction does not fit: round the interval up, so that never a unit too many comes back.
      parameters = [Math.ceil(microseconds / units), 1];
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

function greatestCommonDivisor(a: number, b: number): number {
  while (b > 0) [a, b] = [b, a % b];
  return a;
}
