import type { DurationRange } from "../options/duration.ts";
import { createPlainBreaker, type StoreBreaker, type StoreBreakerState } from "./breaker.ts";
import { createGuard, type GuardOptions } from "./guard.ts";
import type { Store } from "./store.ts";

/** No decision is worth a wait of more than a minute; no network answers in less than a millisecond. */
export const TIMEOUT_RANGE: DurationRange = { min: "1ms", max: "1m", example: "250ms" };

/** A store that answers or fails within its timeout. */
export interface GuardedStore extends Store {
  /** The state of the breaker, and its suspended parts. */
  state(): StoreBreakerState;
}

/** Long enough for a Redis on another continent, short enough for a user who waits. */
export const DEFAULT_TIMEOUT_MS = 250;

/**
 * A store that fails fast: an answer after the timeout counts as a failure, and a part that has failed several times in
 * a row is asked only once per second. It throws only StoreError.
 *
 * @param breaker detects the failing part. Default: a breaker for a Redis that fails as a whole
 */
export function guardStore(
  store: Store,
  options: GuardOptions,
  breaker: StoreBreaker = createPlainBreaker(),
): GuardedStore {
  const { run, state } = createGuard(options, breaker);
  return {
    decide: (operation, keys, ...asked) => run(keys, () => store.decide(operation, keys, ...asked)),
    ...(store.refund && {
      refund: (keys, ...args) => run(keys, () => store.refund!(keys, ...args)),
    }),
    ...(store.extend && {
      extend: (keys, ...more) => run(keys, () => store.extend!(keys, ...more)),
    }),
    ...(store.take && {
      take: (keys, ...asked) => run(keys, () => store.take!(keys, ...asked)),
    }),
    reset: (keys) => run(keys, () => store.reset(keys)),
    state,
  };
}
