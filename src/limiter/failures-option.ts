import type { Failures, FailureWhen } from "../algorithms/common-options.ts";
import { holds } from "../features/holds/holds-feature.ts";
import { roles } from "../features/roles/roles-feature.ts";
import { optionValue } from "../options/option-value.ts";

/**
 * Counts failures: every request reserves its cost, and gets it back if the response was no failure. So at most `limit` requests that
 * may fail are under way at once, and a denied client is told to wait one second at most. Redis decides each denial, as of a
 * `refundable` policy. Middleware settles by itself; with `createLimiter()`, call `reserve()`, and `release()` of the hold after a
 * success. Cannot be combined with a lease.
 *
 * @param when for middleware: which responses are failures. Range of `status`: 1 to 32 whole numbers from 100 to 599. Default:
 * `{ status: [401, 403] }`
 * @example
 * segmentedWindow({ name: "login", counts: failures({ status: [401] }), limit: 5, window: "10m" })
 */
export function failures(when?: FailureWhen): Failures {
  const plain = { counts: "failures", ...(when !== undefined && { when }) };
  return optionValue("counts", plain, { roles, holds }) as Failures;
}
