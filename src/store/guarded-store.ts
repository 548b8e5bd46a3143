import type { DurationRange } from "../options/duration.ts";
import { StoreError } from "../options/errors.ts";
import { report } from "../runtime/log.ts";
import { TIMED_OUT, withTimeout } from "../runtime/time.ts";
import { createPlainBreaker, type StoreBreaker, type StoreBreakerState } from "./breaker.ts";
import { firstContactMs } from "./first-contact.ts";
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

const DEFAULT_NAME = "Redis";

export interface GuardWords {
  /** The name of the store in messages. Default: `Redis`. */
  readonly name?: string | undefined;
  /** The region of the store, for its errors. Default: none, it is the store that counts. */
  readonly region?: string;
  /** Says in messages what happens while the store does not answer. Default: each policy's onFailure decides. */
  readonly meanwhile?: string;
  /** Says in messages what happens once it answers again. Default: decisions are exact again. */
  readonly afterwards?: string;
}

export interface GuardOptions extends GuardWords {
  /** The time limit of an answer; longer until the first answer, see `firstContactMs`. */
  readonly timeoutMs: number;
  /** The isolate's monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Called with the first failure of an outage. Default: logs one line then, and one when the outage is over. */
  readonly onStoreError?: ((error: StoreError) => void) | undefined;
}

/** Has the calls to one store answered or failed in time. */
export interface Guard {
  /** Runs a call. Throws StoreError after the timeout, and at once while the part of the first key is suspended. */
  run<Answer>(keys: readonly string[], ask: () => Answer | Promise<Answer>): Promise<Answer>;
  state(): StoreBreakerState;
}

/** @param breaker detects the failing part */
export function createGuard(
  {
    name = DEFAULT_NAME,
    region,
    meanwhile = "each policy's onFailure decides",
    afterwards = "decisions are exact again",
    timeoutMs,
    now,
    onStoreError,
  }: GuardOptions,
  breaker: StoreBreaker,
): Guard {
  /** Created once: during an outage every request throws it, and a stack trace costs time. */
  const suspended = new StoreError(
    "ERR_STORE_SUSPENDED",
    `${name} failed several times in a row; it is probed once per second until it answers again.`,
  );
  /**
   * One call may open the connection for the others, so each call that is sent before the first answer waits for it.
   */
  let patienceMs = firstContactMs(timeoutMs);
  let firstFailureMs = 0;
  /** The first answer since the last failure. A part of the store may be asked again much later than the others. */
  let answeredAtMs: number | undefined;

  /** A listener that throws must not prevent the decision. */
  function notify(failure: StoreError): void {
    if (onStoreError === undefined) {
      return report(`${failure.code}: ${failure.message} Until it answers again, ${meanwhile}.`);
    }
    try {
      const told: unknown = onStoreError(failure);
      // It may be asynchronous, and its rejection would be unhandled, which ends a process of Node.
      if (told instanceof Promise) told.catch(reportListener);
    } catch (error) {
      reportListener(error);
    }
  }

  /** A client calls its store Redis, whichever of several it is. */
  function named(error: StoreError): StoreError {
    if (name === DEFAULT_NAME || error.message.includes(name)) return error;
    return new StoreError(error.code, `${name}: ${error.message}`);
  }

  function noteAnswer(key: string): void {
    patienceMs = timeoutMs;
    const nowMs = now();
    answeredAtMs ??= nowMs;
    if (breaker.succeeded(key, nowMs) && onStoreError === undefined) {
      const seconds = Math.max(1, Math.ceil((answeredAtMs - firstFailureMs) / 1000));
      report(`${name} answers again after ${seconds} s; ${afterwards}.`);
    }
  }

  return {
    async run([key], ask) {
      const sentAtMs = now();
      const ms = patienceMs;
      if (!breaker.admits(key!, sentAtMs)) throw suspended;
      try {
        const answer = await withTimeout(ms, ask);
        if (answer === TIMED_OUT) {
          throw new StoreError("ERR_STORE_TIMEOUT", `${name} did not answer within ${ms} ms.`);
        }
        noteAnswer(key!);
        return answer;
      } catch (error) {
        if (breaker.isAnswer(error)) {
          noteAnswer(key!);
          throw error;
        }
        const failure =
          error instanceof StoreError
            ? named(error)
            : new StoreError(
                "ERR_STORE_UNREACHABLE",
                `The ${name} client failed for an unknown reason.`,
              );
        if (region !== undefined) Object.assign(failure, { region });
        const failedAtMs = now();
        answeredAtMs = undefined;
        if (breaker.failed(key!, sentAtMs, failedAtMs)) {
          firstFailureMs = failedAtMs;
          notify(failure);
        }
        throw failure;
      }
    },

    state: () => breaker.state(now()),
  };
}

function reportListener(error: unknown): void {
  report(`onStoreError failed: ${String(error)}`);
}
