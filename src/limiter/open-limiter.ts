import { leasingStore } from "../lease/leasing-store.ts";
import type { Store } from "../store/store.ts";
import { buildLimiter, type Limiter } from "./limiter.ts";
import type { LimiterSettings } from "./settings.ts";

/** A limiter as its options want it: with leases, if they name a length. */
export function openLimiter(store: Store, settings: LimiterSettings): Limiter {
  const { policies, lease, now } = settings;
  if (lease === undefined) return buildLimiter(store, settings);
  return buildLimiter(leasingStore(store, policies, { lease, now }), settings);
}
