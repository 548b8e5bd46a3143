import type { Algorithm } from "../policy/policy.ts";
import { FIXED_WINDOW } from "./fixed-window.ts";
import { type Implementation, IMPLEMENTATION } from "./implementation.ts";
import { SEGMENTED_WINDOW } from "./segmented-window.ts";
import { SLIDING_WINDOW_COUNTER } from "./sliding-window-counter.ts";
import { SLIDING_WINDOW_LOG } from "./sliding-window-log.ts";
import { TOKEN_BUCKET } from "./token-bucket.ts";

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

/** Has a fault to tell, so that a policy of an unknown algorithm is told of with everything else. */
function unknownAlgorithm(algorithm: unknown): Implementation {
  return {
    ...FIXED_WINDOW,
    name: algorithm as Algorithm,
    options: Object.values(IMPLEMENTATIONS).flatMap(({ options }) => options),
    times(_policy, _limit, path, faults) {
      const names = Object.keys(IMPLEMENTATIONS).join(", ");
      faults.add(`${path}.algorithm`, algorithm, `Use one of ${names}.`);
      return { windowMicroseconds: 1e6, parameters: [1e6, 0] };
    },
  };
}
