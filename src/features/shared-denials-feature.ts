import { Faults } from "../options/faults.ts";
import { LEASE_WITH_SHARING, SHARED_CACHE, SHARED_DENIALS } from "../options/messages.ts";
import { optionValue } from "../options/option-value.ts";
import { AUTO } from "../policy/traits.ts";
import { throughSharedDenials } from "./shared-denials-step.ts";
import { connect, type SharedCache, type SharedDenials } from "./shared-denials.ts";

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

/**
 * Denials shared by all isolates that reach a cache and count in the same Redis.
 *
 * Redis's clock dates them. An isolate trusts one only if a recent answer of Redis about the same partition proves that
 * the denial cannot have ended yet. Clients that were never denied do not wait for the cache: it is read only when a
 * known denial has expired.
 *
 * @throws ConfigurationError if the cache lacks `get` or `put`
 * @example
 * const notes = new Map<string, string>();
 * createLimiter({
 *   policies: [tokenBucket({ limit: 20, refill: 10, per: "1s" })],
 *   sharedDenials: shareDenials({
 *     get: async (key) => notes.get(key),
 *     put: (key, text) => void notes.set(key, text),
 *   }),
 * });
 */
export function shareDenials(cache: SharedCache): SharedDenials {
  const faults = new Faults();
  for (const name of ["get", "put"] as const) {
    const method: unknown = (cache as Partial<SharedCache> | undefined)?.[name];
    if (typeof method !== "function") {
      faults.add(name, method, SHARED_CACHE);
    }
  }
  faults.throwIfAny();
  const share: SharedDenials["share"] = (settings, clocks, denials) =>
    connect(cache, settings, clocks, denials);
  return {
    share,
    ...optionValue("sharedDenials", { sharedDenials: { share } }, { sharedDenials }),
  };
}
