import type { Algorithm, Policy } from "../policy/policy.ts";
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
  const { algorithm } = policy as Policy;
  if (typeof algorithm !== "string" || !Object.hasOwn(IMPLEMENTATIONS, algorithm)) return policy;
  return { ...policy, [IMPLEMENTATION]: IMPLEMENTATIONS[algorithm] };
}
