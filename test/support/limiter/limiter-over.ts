import type { ReservingLimiter } from "../../../src/decide/hold.ts";
import { EVERY_FEATURE } from "../../../src/features/every-feature.ts";
import { buildLimiter } from "../../../src/limiter/limiter.ts";
import type { LimiterOptions } from "../../../src/limiter/options.ts";
import { checkSettings, type LimiterSettings } from "../../../src/limiter/settings.ts";
import { Faults } from "../../../src/options/faults.ts";
import type { Store } from "../../../src/store/store.ts";

/** Options as settings; throws their faults. */
export function settingsOf(options: LimiterOptions): LimiterSettings {
  const faults = new Faults();
  const settings = checkSettings(options, EVERY_FEATURE, faults);
  faults.throwIfAny();
  return settings;
}

/**
 * A limiter over a store without a guard and without a clock of its own.
 *
 * @param own the clock and the random numbers of the test; without it the clock stands still
 */
export function limiterOver(
  store: Store,
  options: LimiterOptions,
  own: Partial<Pick<LimiterSettings, "now" | "random">> = {},
): ReservingLimiter {
  const settings = { ...settingsOf(options), now: () => 1_000, ...own };
  return buildLimiter(store, settings, EVERY_FEATURE);
}
