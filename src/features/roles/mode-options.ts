import type { Mode } from "../../algorithms/common-options.ts";
import { optionValue } from "../../options/option-value.ts";
import type { Policy } from "../../policy/policy.ts";
import { roles } from "./roles-feature.ts";

/**
 * The same policy, which decides and counts, but never denies, and is not shown to clients: `decision.shadow` has its decision.
 *
 * @example
 * shadow(tokenBucket({ name: "stricter", limit: 10, refill: 5, per: "1s" }))
 */
export function shadow<Of extends Policy>(policy: Of): Of {
  return inMode(policy, "shadow");
}

/**
 * The same policy, which never denies, but is in the header fields. The origin of a gateway and the route behind Vercel's middleware
 * learn from the request's field `Tidegate-Over` that the client is over its limit.
 *
 * @example
 * soft(fixedWindow({ name: "fair-use", limit: 10_000, window: "1d" }))
 */
export function soft<Of extends Policy>(policy: Of): Of {
  return inMode(policy, "soft");
}

function inMode<Of extends Policy>(policy: Of, mode: Mode): Of {
  // The limiter's own check reports a value that is no policy.
  if (typeof policy !== "object" || policy === null) return policy;
  return { ...policy, mode: optionValue("mode", { mode }, { roles }) };
}
