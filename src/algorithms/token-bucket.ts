import type { Policy } from "../policy/policy.ts";
import { MAX_LIMIT, whole } from "../policy/whole.ts";
import { MAX_WINDOW, windowOf } from "../policy/window.ts";
import type { AlgorithmModel } from "../store/memory/algorithm.ts";
import { tokenBucket } from "../store/memory/token-bucket.ts";
import { TOKEN_BUCKET as script } from "../store/scripts.generated.ts";
import type { Implementation, Times } from "./implementation.ts";

export const TOKEN_BUCKET: Implementation = {
  name: "token-bucket",
  options: ["refill", "per"],
  maxLimit: MAX_LIMIT,
  beyond: "",
  code: "b",
  ttl,
  script,
  model: tokenBucket as AlgorithmModel<unknown>,

  /** An interval and a divisor: one unit comes back every interval / divisor microseconds. */
  times(policy, limit, path, faults) {
    const { refill, per } = policy as Extract<Policy, { algorithm: "token-bucket" }>;
    const units = whole(refill, MAX_LIMIT, `${path}.refill`, faults);
    const microseconds = windowOf(per, `${path}.per`, faults);
    const parameters = leastAtOrAbove(microseconds, units, Math.floor((2 ** 51 - 1) / limit));
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

/**
 * The least fraction that is not below numerator / denominator and whose own numerator is at most `most`: so that never
 * a unit too many comes back. Down the Stern-Brocot tree, in as many steps as Euclid's algorithm takes.
 */
function leastAtOrAbove(numerator: number, denominator: number, most: number): [number, number] {
  let above: [number, number] = [1, 0];
  let below: [number, number] = [0, 1];
  // How far each is off, by the cross product.
  let [over, under] = [denominator, numerator];
  for (;;) {
    const lower = Math.min(
      Math.floor(over / under),
      below[0] > 0 ? Math.floor((most - above[0]) / below[0]) : Infinity,
    );
    above = [above[0] + lower * below[0], above[1] + lower * below[1]];
    over -= lower * under;
    if (over === 0) return above;
    const raise = Math.floor((under - 1) / over);
    below = [below[0] + raise * above[0], below[1] + raise * above[1]];
    under -= raise * over;
    if (above[0] + below[0] > most)
      return above[1] > 0 ? above : [Math.ceil(numerator / denominator), 1];
  }
}
