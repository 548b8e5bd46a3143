import { DECIDE_ENFORCED } from "../algorithms/scripts.generated.ts";
import type { ReservingLimiter } from "../decide/hold.ts";
import type { Features } from "../features/features.ts";
import type { Faults } from "../options/faults.ts";
import { type MadeBy, meaningOf, type RedisMakers } from "../options/option-value.ts";
import type { Environment } from "../runtime/environment.ts";
import { type RedisParts, type StoreOptions, storeOpener } from "../store/open-store.ts";
import { buildLimiter } from "./limiter.ts";
import type { LimiterOptions } from "./options.ts";
import { checkSettings } from "./settings.ts";
import { reportUnnamedDuplicates } from "./unnamed-duplicates.ts";

/**
 * Opens the store and builds the limiter.
 *
 * @param environment names the Redis where `redis` does not
 * @throws ConfigurationError with every fault
 */
export type OpenLimiter = (
  redis: StoreOptions["redis"] | MadeBy<RedisMakers>,
  environment: Environment,
  faults: Faults,
) => ReservingLimiter;

/**
 * Checks every option of a limiter but `redis`, which may be known with the first request only, and returns what opens the store and
 * builds the limiter.
 *
 * @param faults may already have some, of options that an adapter adds
 * @param by for each policy the dimension that it counts by. Default: its own `by`
 */
export function checkLimiter(
  options: Omit<LimiterOptions, "redis">,
  features: Features,
  faults: Faults,
  by?: readonly string[],
): OpenLimiter {
  const settings = checkSettings(options, features, faults, by);
  features.roles?.check(settings.policies, "policies[0].counts", faults);
  const openStore = storeOpener(options, faults);

  return function openLimiter(redis, environment, faults) {
    // Its value brings code with it, too.
    const meaning = meaningOf(redis);
    const plain = (meaning ? meaning.plain["redis"] : redis) as StoreOptions["redis"];
    const all: Features = { ...features, ...meaning?.features };
    const store = openStore(plain, partsOf(all), environment, faults);
    if (store) all.holds?.checkStore(settings.policies, store, faults);
    faults.throwIfAny();
    reportUnnamedDuplicates(options.store ?? plain, settings);
    return buildLimiter(store!, settings, all);
  };
}

/** The parts of the store that these features need. */
export function partsOf({
  clients,
  cluster,
  holds,
  leases,
  logs,
  regions,
  roles,
  slots,
}: Features): RedisParts {
  const scripts = {
    decide: DECIDE_ENFORCED,
    ...logs?.scripts,
    ...(roles ?? slots)?.scripts,
    ...leases?.scripts,
    ...regions?.scripts,
    ...(holds ?? cluster)?.scripts,
  };
  return { scripts, clients, cluster, openRegion: regions?.open, homeWords: regions?.homeWords };
}
