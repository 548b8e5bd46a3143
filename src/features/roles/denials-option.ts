import type { Denials } from "../../algorithms/common-options.ts";
import { optionValue } from "../../options/option-value.ts";
import { roles } from "./roles-feature.ts";

/**
 * Counts denials: one unit whenever another policy of the decision denies. While the policy has no room, it denies every request, so
 * it bans clients that keep coming. Another policy has to count requests. Denials that the isolate knows without asking Redis count
 * with the next request that asks it.
 *
 * @example
 * fixedWindow({ name: "ban", counts: denials(), limit: 20, window: "1h" })
 */
export function denials(): Denials {
  return optionValue("counts", { counts: "denials" }, { roles }) as Denials;
}
