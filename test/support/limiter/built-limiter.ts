import type { ReservingLimiter } from "../../../src/decide/hold.ts";
import { EVERY_FEATURE } from "../../../src/features/every-feature.ts";
import { buildLimiter } from "../../../src/limiter/limiter.ts";
import { checkSettings } from "../../../src/limiter/settings.ts";
import { Faults } from "../../../src/options/faults.ts";
import type { Store } from "../../../src/store/store.ts";

/** A limiter with every feature, as these options make it, on a store and on clocks of the test. */
export function builtLimiter(
  store: Store,
  options: Parameters<typeof checkSettings>[0],
  given: Partial<Parameters<typeof buildLimiter>[1]> = {},
): ReservingLimiter {
  const faults = new Faults();
  const settings = checkSettings(options, EVERY_FEATURE, faults);
  faults.throwIfAny();
  return buildLimiter(store, { ...settings, ...given }, EVERY_FEATURE);
}
