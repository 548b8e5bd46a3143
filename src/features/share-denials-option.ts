import { Faults } from "../options/faults.ts";
import { SHARED_CACHE } from "../options/messages.ts";
import { optionValue } from "../options/option-value.ts";
import { sharedDenials } from "./shared-denials-feature.ts";
import { connect, type SharedCache, type SharedDenials } from "./shared-denials.ts";

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
