import { leasingStore } from "../lease/leasing-store.ts";
import type { Faults } from "../options/faults.ts";
import type { Environment } from "../runtime/environment.ts";
import { openStore } from "../store/open-store.ts";
import { buildLimiter, type Limiter } from "./limiter.ts";
import type { LimiterOptions } from "./options.ts";
import { checkSettings } from "./settings.ts";
import { reportUnnamedTwins } from "./unnamed-twins.ts";

/**
 * Turns options into a limiter. Every limiter with a store of its own is made here.
 *
 * @param environment names the Redis where the options do not
 * @param faults may already have some, of options that an adapter adds
 * @throws ConfigurationError with every fault
 */
export function openLimiter(
  options: LimiterOptions,
  environment: Environment,
  faults: Faults,
): Limiter {
  const settings = checkSettings(options, faults);
  const store = openStore(options, environment, faults);
  faults.throwIfAny();
  reportUnnamedTwins(options, settings);
  const { policies, leaseUs, now } = settings;
  return buildLimiter(
    leaseUs === undefined ? store! : leasingStore(store!, policies, { leaseUs, now }),
    settings,
  );
}
