import type { Faults } from "../options/faults.ts";
import { checkedOptions } from "../options/unknown-options.ts";
import { readEnvironment } from "../runtime/environment.ts";
import type { Features } from "./features.ts";
import type { LimiterOf } from "./limiter.ts";
import { openLimiter } from "./open-limiter.ts";
import { type CreateLimiterOptions, LIMITER_OPTIONS } from "./options.ts";

/**
 * Opens a limiter from options, and puts its lists and its listener around it. A middleware has its own of both.
 *
 * @throws ConfigurationError with every fault
 */
export function openWithLists<Has extends Features>(
  unchecked: CreateLimiterOptions,
  features: Has,
  faults: Faults,
): LimiterOf<Has> {
  const options = checkedOptions(unchecked, [...LIMITER_OPTIONS, "lists"], faults);
  const { store } = options;
  const { lists, listeners, holds } = features;
  const compiledLists = lists?.compile(options.lists, "lists", faults);
  const listener = listeners?.compile(options.onDecision, faults);
  let limiter = openLimiter(options, features, readEnvironment(), faults);
  if (compiledLists) {
    const nowMs = () => (store?.now ? store.now() / 1000 : Date.now());
    limiter = lists!.wrap(limiter, compiledLists, nowMs, holds?.withoutHold);
  }
  return listener ? listeners!.wrap(limiter, listener) : limiter;
}
