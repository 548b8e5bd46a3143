import { parseDuration } from "../options/duration.ts";
import type { Faults } from "../options/faults.ts";
import type { CompiledPolicy } from "../policy/compile.ts";

/** Shorter than a few round trips, and next to nothing would be left of a lease when it arrives. Microseconds. */
const SHORTEST = 10_000;

/** What one isolate holds is there for nobody else: for longer than this, people would notice. */
const LONGEST = 10_000_000;

/**
 * The length of a lease in microseconds; `undefined` if there was a fault.
 *
 * @param policies those that it has to fit
 */
export function readLease(
  lease: unknown,
  policies: readonly CompiledPolicy[],
  faults: Faults,
): number | undefined {
  const length = parseDuration(lease);
  if (length === undefined || length < SHORTEST || length > LONGEST) {
    faults.add("lease", lease, 'Give a time from "10ms" to "10s", such as "100ms".');
    return undefined;
  }
  const longest = Math.floor(
    Math.min(...policies.map((policy) => policy.implementation.lease.maxUs(policy))),
  );
  if (length <= longest) return length;
  faults.add(
    "lease",
    lease,
    longest < SHORTEST
      ? "No lease fits these policies: leave it out, or raise their limits or windows."
      : `It takes too much of these policies' limits: give "${longest / 1000}ms" or less.`,
  );
  return undefined;
}
