import type { LimiterOf, ReservingLimiter } from "../decide/hold.ts";
import { compileListener, withListener } from "../features/decision-listener.ts";
import { dimensions } from "../features/dimensions-feature.ts";
import type { Features } from "../features/features.ts";
import { Faults } from "../options/faults.ts";
import type { MadeBy } from "../options/option-value.ts";
import { checkedOptions } from "../options/unknown-options.ts";
import type { Policy } from "../policy/policy.ts";
import { readEnvironment } from "../runtime/environment.ts";
import { checkLimiter } from "./check-limiter.ts";
import { type CreateLimiterOptions, LIMITER_OPTIONS, type LimiterOptions } from "./options.ts";
import { takeApart } from "./take-apart.ts";

/**
 * Makes a limiter of one or more policies that are always decided together. An option that brings code with it takes what a
 * function returns, such as `lease("100ms")`: a bundle contains what it imports.
 *
 * @throws ConfigurationError with every fault in the options
 * @example
 * const limiter = createLimiter({
 *   redis: { url: "https://....upstash.io", token: "..." },
 *   policies: [slidingWindowLog({ name: "login", limit: 5, window: "10s" })],
 * });
 * const decision = await limiter.limit("user:42");
 */
export function createLimiter<
  const Of extends Policy,
  P extends MadeBy<"plans()"> = MadeBy<"plans()">,
>(given: CreateLimiterOptions<Of, P>): LimiterOf<Of, P> {
  const faults = new Faults();
  const { options, features } = takeApart<LimiterOptions>(given, faults);
  return limiterOf(options, { dimensions, ...features }, faults) as LimiterOf<Of, P>;
}

/** Makes a limiter of options that are data, and of the features that act on them. */
export function limiterOf(
  options: LimiterOptions,
  features: Features,
  faults: Faults,
): ReservingLimiter {
  const checked = checkedOptions(options, [...LIMITER_OPTIONS, "lists"], faults);
  const policies = features.holds?.refuseResponses(checked.policies, faults) ?? checked.policies;
  const known = { ...checked, policies };
  const lists = features.lists?.compile(known.lists, "lists", faults);
  const listener = compileListener(known.onDecision, faults);
  const limiter = checkLimiter(known, features, faults)(known.redis, readEnvironment(), faults);
  const nowMs = () => (known.store?.now ? known.store.now() / 1000 : Date.now());
  const listed = lists
    ? features.lists!.wrap(limiter, lists, nowMs, features.holds?.withoutHold)
    : limiter;
  return listener ? withListener(listed, listener) : listed;
}
