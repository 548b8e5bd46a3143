import { checkDuration, type DurationRange, parseDuration } from "../../options/duration.ts";
import type { Faults } from "../../options/faults.ts";
import { LEASE_OF_SLOTS, LONG_LEASE, NO_LEASE_FITS } from "../../options/messages.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";

/**
 * Shorter than a few round trips, next to nothing would be left of a lease when it arrives; longer, people would notice
 * that one isolate holds quota that the others lack.
 */
export const LEASE_RANGE: DurationRange = { min: "10ms", max: "10s", example: "100ms" };

/**
 * The length of a lease in microseconds; `undefined` after a fault.
 *
 * @param policies that the lease has to fit
 */
export function readLease(
  lease: unknown,
  path: string,
  policies: readonly CompiledPolicy[],
  faults: Faults,
): number | undefined {
  const leaseUs = checkDuration(lease, LEASE_RANGE, path, faults);
  if (leaseUs === undefined) return undefined;
  const maxUs = Math.floor(
    Math.min(...policies.map((policy) => policy.implementation.lease.maxUs(policy))),
  );
  if (leaseUs <= maxUs) return leaseUs;
  if (policies.some(({ implementation }) => implementation.hasSlots)) {
    faults.add(path, lease, LEASE_OF_SLOTS);
    return undefined;
  }
  if (maxUs < parseDuration(LEASE_RANGE.min)!) faults.add(path, lease, NO_LEASE_FITS);
  else faults.add(path, lease, LONG_LEASE, maxUs / 1000);
  return undefined;
}
