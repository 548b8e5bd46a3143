import type { Faults } from "../options/faults.ts";
import { LEASE_WITH_SHARING, SHARED_DENIALS } from "../options/messages.ts";
import { AUTO } from "../policy/traits.ts";
import { throughSharedDenials } from "./shared-denials-step.ts";
import type { SharedDenials } from "./shared-denials.ts";

/** Denials that nearby isolates share. */
export const sharedDenials = { check: checkSharing, steps: throughSharedDenials };

/** The options of a limiter that sharing denials needs or excludes. */
export interface SharingOptions {
  readonly sharedDenials?: SharedDenials;
  readonly denialCache?: unknown;
  readonly store?: unknown;
  readonly lease?: unknown;
}

/** Checks the `sharedDenials` option of a limiter. */
function checkSharing(
  { sharedDenials, denialCache, store, lease }: SharingOptions,
  faults: Faults,
): void {
  if (sharedDenials === undefined) return;
  if (typeof sharedDenials?.share !== "function" || denialCache === false || store !== undefined) {
    faults.add(
      "sharedDenials",
      // The object may contain the cache's credentials.
      Object(sharedDenials) === sharedDenials ? "(an object)" : sharedDenials,
      SHARED_DENIALS,
    );
  }
  // Automatic leases apply to single policies, whose denials are not shared.
  if (lease !== undefined && lease !== AUTO) faults.add("lease", lease, LEASE_WITH_SHARING);
}
