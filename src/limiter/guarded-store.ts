import { StoreError } from "../errors.ts";
import { report } from "../report.ts";
import type { Store } from "../store/store.ts";
import { createBreaker } from "./breaker.ts";
import { LATE, within } from "./within.ts";

export interface GuardOptions {
  /** Milliseconds that an answer may take. */
  readonly budget: number;
  /** The isolate's monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Told of the first failure after a success. Default: writes a line to the log. */
  readonly onStoreError?: ((error: StoreError) => void) | undefined;
}

/** Long enough for a Redis on another continent, short enough for somebody who waits. Milliseconds. */
export const DEFAULT_BUDGET = 250;

/** Made once: while the store is down it is thrown with every request, and a stack trace each time is not free. */
const SUSPENDED = new StoreError(
  "ERR_STORE_SUSPENDED",
  "Redis failed several times in a row; it is probed once per second until it answers again.",
);

/**
 * A store that fails fast: an answer later than the budget is a failure, and after several failures in a row the store
 * is asked once per second only. It fails with StoreError and nothing else.
 */
export function guardStore(
  store: Store,
  { budget, now, onStoreError = reportStoreError }: GuardOptions,
): Store {
  const breaker = createBreaker();

  /** Whatever the listener does, the decision must be made. */
  function tell(failure: StoreError): void {
    try {
      onStoreError(failure);
    } catch (error) {
      report(`onStoreError failed: ${String(error)}`);
    }
  }

  async function guarded<Answer>(ask: () => Answer | Promise<Answer>): Promise<Answer> {
    if (!breaker.admits(now())) throw SUSPENDED;
    try {
      const answer = await within(budget, ask);
      if (answer === LATE) {
        throw new StoreError("ERR_STORE_TIMEOUT", `Redis did not answer within ${budget} ms.`);
      }
      breaker.succeeded();
      return answer;
    } catch (error) {
      const failure =
        error instanceof StoreError
          ? error
          : new StoreError("ERR_STORE_UNREACHABLE", "The Redis client failed in an unknown way.");
      if (breaker.failed(now())) tell(failure);
      throw failure;
    }
  }

  return {
    decide: (operation, keys, cost, policies) =>
      guarded(() => store.decide(operation, keys, cost, policies)),
    reset: (keys) => guarded(() => store.reset(keys)),
  };
}

function reportStoreError({ code, message }: StoreError): void {
  report(`${code}: ${message} Until it answers again, each policy's onFailure decides.`);
}
