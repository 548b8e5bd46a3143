import { DECIDE } from "../algorithms/scripts.generated.ts";
import type { ReservingLimiter } from "../decide/limiter.ts";
import type { Features } from "../features/features.ts";
import { Faults } from "../options/faults.ts";
import { meaningOf, type OptionValue } from "../options/option-value.ts";
import type { Environment } from "../runtime/environment.ts";
import { openStore, redisOpener, type RedisParts, type StoreOptions } from "../store/open-store.ts";
import { buildLimiter } from "./limiter.ts";
import type { LimiterOptions } from "./options.ts";
import { checkSettings } from "./settings.ts";
import { reportUnnamedDuplicates } from "./unnamed-duplicates.ts";

/**
 * Turns options into a limiter. Every limiter with a store of its own is made in this file.
 *
 * @param environment names the Redis where the options do not
 * @param faults may already have some, of options that an adapter adds
 * @param by for each policy the dimension that it counts by. Default: its own `by`
 * @throws ConfigurationError with every fault
 */
export function openLimiter(
  options: LimiterOptions,
  features: Features,
  environment: Environment,
  faults: Faults,
  by?: readonly string[],
): ReservingLimiter {
  const settings = checkSettings(options, features, faults, by);
  features.roles?.check(settings.policies, "policies[0].counts", faults);
  const store = openStore(options, partsOf(features), environment, faults);
  if (store) features.holds?.checkStore(settings.policies, store, faults);
  faults.throwIfAny();
  reportUnnamedDuplicates(options, settings);
  return buildLimiter(store!, settings, features);
}

/** Makes the limiter as soon as its Redis is known. Throws a ConfigurationError if that has faults. */
export type LimiterOpener = (
  redis: StoreOptions["redis"] | OptionValue<"redis">,
  environment: Environment,
) => ReservingLimiter;

/**
 * As `openLimiter`, for a Redis that is known only when a request arrives: checks all other options now.
 *
 * @throws ConfigurationError with every fault
 */
export function openLimiterLater(
  options: Omit<LimiterOptions, "redis" | "store">,
  features: Features,
  faults: Faults,
  by?: readonly string[],
): LimiterOpener {
  const settings = checkSettings(options, features, faults, by);
  features.roles?.check(settings.policies, "policies[0].counts", faults);
  const openRedis = redisOpener(options, faults);
  faults.throwIfAny();
  return function open(redis, environment) {
    const found = new Faults();
    // Its value brings code with it, too.
    const meaning = meaningOf(redis);
    const plain = (meaning ? meaning.plain["redis"] : redis) as StoreOptions["redis"];
    const all: Features = { ...features, ...meaning?.features };
    const store = openRedis(plain, partsOf(all), environment, found);
    found.throwIfAny();
    reportUnnamedDuplicates(plain ? { redis: plain } : {}, settings);
    return buildLimiter(store!, settings, all);
  };
}

/** The parts of the store that these features need. */
export function partsOf({ clients, cluster, holds, leases }: Features): RedisParts {
  const scripts = {
    decide: DECIDE,
    ...leases?.scripts,
    ...(holds ?? cluster)?.scripts,
  };
  return { scripts, clients, cluster };
}
