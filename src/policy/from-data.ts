import { FIXED_WINDOW } from "../algorithms/fixed-window.ts";
import { type Implementation, IMPLEMENTATION } from "../algorithms/implementation.ts";
import { SEGMENTED_WINDOW } from "../algorithms/segmented-window.ts";
import { SLIDING_WINDOW_COUNTER } from "../algorithms/sliding-window-counter.ts";
import { SLIDING_WINDOW_LOG } from "../algorithms/sliding-window-log.ts";
import { TOKEN_BUCKET } from "../algorithms/token-bucket.ts";
import { nearest } from "../options/unknown-options.ts";
import { ANY_ALGORITHM } from "./any-algorithm.ts";
import type { Algorithm } from "./policy.ts";

/** All of them: whoever imports this has all of them in the bundle. */
export const IMPLEMENTATIONS: Record<Algorithm, Implementation> = {
  "token-bucket": TOKEN_BUCKET,
  "sliding-window-log": SLIDING_WINDOW_LOG,
  "sliding-window-counter": SLIDING_WINDOW_COUNTER,
  "segmented-window": SEGMENTED_WINDOW,
  "fixed-window": FIXED_WINDOW,
};

/** A policy that is plain data, as in a configuration, made what a builder makes; anything else is left as it is. */
export function fromData(policy: unknown): unknown {
  if (typeof policy !== "object" || policy === null) return policy;
  const { algorithm } = policy as { algorithm?: unknown };
  // What data cannot hold as a name is not named in a fault either.
  if (Object(algorithm) === algorithm || typeof algorithm === "symbol") return policy;
  const implementation =
    typeof algorithm === "string" && Object.hasOwn(IMPLEMENTATIONS, algorithm)
      ? IMPLEMENTATIONS[algorithm as Algorithm]
      : unknownAlgorithm(algorithm);
  return { ...policy, [IMPLEMENTATION]: implementation };
}

/** Adds its fault where a policy is checked, so that it is reported with everything else that is wrong with the policy. */
function unknownAlgorithm(algorithm: unknown): Implementation {
  const names = Object.keys(IMPLEMENTATIONS);
  const meant = nearest(String(algorithm), names) as Algorithm | undefined;
  const checks = meant ? IMPLEMENTATIONS[meant] : ANY_ALGORITHM;
  return {
    ...FIXED_WINDOW,
    ...checks,
    name: algorithm as Algorithm,
    times(policy, limit, path, faults) {
      const hint = meant ? `Did you mean "${meant}"? ` : "";
      faults.add(`${path}.algorithm`, algorithm, `${hint}Use one of ${names.join(", ")}.`);
      return checks.times(policy, limit, path, faults);
    },
  };
}
