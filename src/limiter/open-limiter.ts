import { DECIDE } from "../algorithms/scripts.generated.ts";
import { Faults } from "../options/faults.ts";
import type { Environment } from "../runtime/environment.ts";
import { openStore, redisOpener, type RedisParts, type StoreOptions } from "../store/open-store.ts";
import type { Features } from "./features.ts";
import { buildLimiter, type LimiterOf } from "./limiter.ts";
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
export function openLimiter<Has extends Features>(
  options: LimiterOptions,
  features: Has,
  environment: Environment,
  faults: Faults,
  by?: readonly string[],
): LimiterOf<Has> {
  const settings = checkSettings(options, features, faults, by);
  features.roles?.check(settings.policies, "policies[0].counts", faults);
  features.notices?.check(settings, faults);
  const store = openStore(options, partsOf(features), environment, faults);
  if (store) features.holds?.checkStore(settings.policies, store, faults);
  faults.throwIfAny();
  reportUnnamedDuplicates(options, settings);
  return buildLimiter(store!, settings, features);
}

/** Makes the limiter as soon as its Redis is known. Throws a ConfigurationError if that has faults. */
export type LimiterOpener<Has extends Features> = (
  redis: StoreOptions["redis"],
  environment: Environment,
) => LimiterOf<Has>;

/**
 * As `openLimiter`, for a Redis that is known only when a request arrives: checks all other options now.
 *
 * @throws ConfigurationError with every fault
 */
export function openLimiterLater<Has extends Features>(
  options: Omit<LimiterOptions, "redis" | "store">,
  features: Has,
  faults: Faults,
  by?: readonly string[],
): LimiterOpener<Has> {
  const settings = checkSettings(options, features, faults, by);
  features.roles?.check(settings.policies, "policies[0].counts", faults);
  features.notices?.check(settings, faults);
  const openRedis = redisOpener(options, partsOf(features), faults);
  faults.throwIfAny();
  return function open(redis, environment) {
    const found = new Faults();
    const store = openRedis(redis, environment, found);
    found.throwIfAny();
    reportUnnamedDuplicates(redis ? { redis } : {}, settings);
    return buildLimiter(store!, settings, features);
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
