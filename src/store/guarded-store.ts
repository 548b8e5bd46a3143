import { StoreError } from "../errors/errors.ts";
import { report } from "../runtime/log.ts";
import { TIMED_OUT, withTimeout } from "../runtime/timeout.ts";
import { createStoreBreaker, type StoreBreakerState } from "./store-breaker.ts";
import type { Store } from "./store.ts";

export interface GuardOptions {
  /** Milliseconds that an answer may take. */
  readonly timeoutMs: number;
  /** The isolate's monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Called with the first failure of an outage. Default: writes a line to the log, and one when the outage is over. */
  readonly onStoreError?: ((error: StoreError) => void) | undefined;
}

/** A store that answers or fails in time. */
export interface GuardedStore extends Store {
  /** What of the store is not asked now. */
  state(): StoreBreakerState;
}

/** Long enough for a Redis on another continent, short enough for somebody who waits. Milliseconds. */
export const DEFAULT_TIMEOUT_MS = 250;

/** Made once: while the store is down it is thrown with every request, and a stack trace each time is not free. */
const SUSPENDED = new StoreError(
  "ERR_STORE_SUSPENDED",
  "Redis failed several times in a row; it is probed once per second until it answers again.",
);

/**
 * A store that fails fast: an answer later than the timeout is a failure, and what failed several times in a row, all of
 * the store or a part of it, is asked once per second only. It fails with StoreError and nothing else.
 */
export function guardStore(
  store: Store,
  { timeoutMs, now, onStoreError }: GuardOptions,
): GuardedStore {
  const breaker = createStoreBreaker();
  let firstFailure = 0;
  let lastFailure = 0;

  /** Whatever the listener does, the decision must be made. */
  function tell(failure: StoreError): void {
    if (onStoreError === undefined) return reportStoreError(failure);
    try {
      onStoreError(failure);
    } catch (error) {
      report(`onStoreError failed: ${String(error)}`);
    }
  }

  async function guarded<Answer>(
    [key]: readonly string[],
    ask: () => Answer | Promise<Answer>,
  ): Promise<Answer> {
    const sentAt = now();
    if (!breaker.admits(key!, sentAt)) throw SUSPENDED;
    try {
      const answer = await withTimeout(timeoutMs, ask);
      if (answer === TIMED_OUT) {
        throw new StoreError("ERR_STORE_TIMEOUT", `Redis did not answer within ${timeoutMs} ms.`);
      }
      if (breaker.succeeded(key!, now()) && onStoreError === undefined) {
        reportRecovery(lastFailure - firstFailure);
      }
      return answer;
    } catch (error) {
      const failure =
        error instanceof StoreError
          ? error
          : new StoreError("ERR_STORE_UNREACHABLE", "The Redis client failed in an unknown way.");
      lastFailure = now();
      if (breaker.failed(key!, sentAt, lastFailure)) {
        firstFailure = lastFailure;
        tell(failure);
      }
      throw failure;
    }
  }

  return {
    decide: (operation, keys, cost, policies) =>
      guarded(keys, () => store.decide(operation, keys, cost, policies)),
    reset: (keys) => guarded(keys, () => store.reset(keys)),
    state: () => breaker.state(now()),
  };
}

function reportStoreError({ code, message }: StoreError): void {
  report(`${code}: ${message} Until it answers again, each policy's onFailure decides.`);
}

function reportRecovery(ms: number): void {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  report(`Redis answers again after ${seconds} s; decisions are exact again.`);
}
