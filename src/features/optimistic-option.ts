import type { OptimisticOptions } from "../algorithms/common-options.ts";
import { optionValue, type MadeBy } from "../options/option-value.ts";
import { optimistic as feature } from "./optimistic-feature.ts";

/**
 * Answers without waiting for Redis: an isolate that knows of no denial, and whose last answer left more than `above` of the limit,
 * or that has none, admits at once, and Redis counts the request afterwards. At most `unsettled` units of an identity wait for that
 * in an isolate; a request beyond them, or of a greater cost, waits for its answer. So each isolate admits at most `unsettled`
 * units too many, whatever the traffic is, and they are missing later: 40 isolates with the default admit at most 140 of a limit of
 * 100. Not for logins, codes or money. All policies of one dimension need it. Cannot be combined with `counts`, `shadow()`, `soft()`,
 * `shards`, `refundable` or a lease other than `lease("auto")`.
 *
 * @param options Range of `unsettled`: 1 to 1,000, at most the limit; of `above`: 0 to below 1. Default:
 * `{ unsettled: 1, above: 0.5 }`
 * @example
 * tokenBucket({ name: "api", limit: 100, refill: 50, per: "1s", optimistic: optimistic() })
 */
export function optimistic(options?: OptimisticOptions): MadeBy<"optimistic()"> {
  return optionValue("optimistic", { optimistic: options ?? true }, { optimistic: feature });
}
