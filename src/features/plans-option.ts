import type { PlansNamed } from "../decide/call-types.ts";
import { given, optionValue } from "../options/option-value.ts";
import { plans as feature } from "./plans-feature.ts";
import type { Plans } from "./plans.ts";

/**
 * Other numbers for some clients: by the name of a plan, then of a policy. `limit(identity, { plan: "gold" })` decides by them. A
 * change of plan takes effect with the next request, and keeps what was consumed.
 *
 * @example
 * createLimiter({ policies, plans: plans({ gold: { rides: { limit: 200, refill: 100 } } }) })
 */
export function plans<Name extends string>(
  numbers: Readonly<Record<Name, Plans[string]>>,
): PlansNamed<Name> {
  return optionValue("plans", { plans: given(numbers) }, { plans: feature });
}
