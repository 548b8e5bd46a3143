import type { Duration } from "../../options/duration.ts";
import { given, type MadeBy, optionValue } from "../../options/option-value.ts";
import { LEASES } from "../../store/redis/feature-calls.ts";
import { compileLeases } from "./compile-leases.ts";
import { leaseSteps } from "./lease-steps.ts";

/** Policies whose quota an isolate reserves ahead of time. */
export const leases = { scripts: { lease: LEASES }, compile: compileLeases, steps: leaseSteps };

/**
 * Reserves quota for a hot identity in advance: an isolate takes several units at once and may spend them for this long, which
 * should be several round trips. Redis enforces tighter policies, so that their promises hold: a token bucket that is smaller by at
 * most half, or a window that is longer by at most a tenth (a fixed window stays as it is). A limiter's lease
 * holds for every policy. A policy's own lease overrides it, and policies of other dimensions stay exact. All policies of one dimension
 * need the same lease, and none of them may count denials.
 *
 * `"auto"` leases only hot identities: an isolate has to get eight or more requests of one within the length of the lease, and Redis
 * has to answer within a quarter of it. The lease lasts a second, or a fifth of the longest lease that its policies allow, if that is
 * shorter. A limit below 32 gets no lease. Near the limit Redis decides each request. Policies that cannot be leased stay as they are.
 *
 * @param time Range: `"10ms"` to `"10s"`, or `"auto"`
 * @example
 * fixedWindow({ name: "everyone", by: "*", limit: 1_000_000, window: "1h", lease: lease("100ms") })
 */
export function lease(time: Duration | "auto"): MadeBy<"lease()"> {
  return optionValue("lease", { lease: given(time) }, { leases });
}
