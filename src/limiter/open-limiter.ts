import type { Limiter } from "../decide/limiter.ts";
import { Faults } from "../options/faults.ts";
import type { Environment } from "../runtime/environment.ts";
import { openStore, redisOpener, type StoreOptions } from "../store/open-store.ts";
import type { Store } from "../store/store.ts";
import { checkCounts, checkRefundable } from "./check-policies.ts";
import { buildLimiter } from "./limiter.ts";
import type { LimiterOptions } from "./options.ts";
import { checkSettings, type LimiterSettings } from "./settings.ts";
import { reportUnnamedTwins } from "./unnamed-twins.ts";

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
  environment: Environment,
  faults: Faults,
  by?: readonly string[],
): Limiter {
  const settings = checkSettings(options, faults, by);
  checkCounts(settings.policies, "policies[0].counts", faults);
  const store = openStore(options, environment, faults);
  if (store) checkRefundable(settings.policies, store, faults);
  faults.throwIfAny();
  return limiterOf(store!, options, settings);
}

/** Makes the limiter as soon as it is known where its Redis is. Throws a ConfigurationError if that has faults. */
export type LimiterOpener = (redis: StoreOptions["redis"], environment: Environment) => Limiter;

/**
 * As `openLimiter`, for a Redis that is known only when a request arrives: checks all other options now.
 *
 * @throws ConfigurationError with every fault
 */
export function openLimiterLater(
  options: Omit<LimiterOptions, "redis" | "store">,
  faults: Faults,
  by?: readonly string[],
): LimiterOpener {
  const settings = checkSettings(options, faults, by);
  checkCounts(settings.policies, "policies[0].counts", faults);
  const openRedis = redisOpener(options, faults);
  faults.throwIfAny();
  return function open(redis, environment) {
    const found = new Faults();
    const store = openRedis(redis, environment, found);
    found.throwIfAny();
    return limiterOf(store!, redis ? { redis } : {}, settings);
  };
}

function limiterOf(
  store: Store,
  place: Pick<StoreOptions, "store" | "redis">,
  settings: LimiterSettings,
): Limiter {
  reportUnnamedTwins(place, settings);
  return buildLimiter(store, settings);
}
