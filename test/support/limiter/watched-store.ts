import { type ErrorCode, StoreError } from "../../../src/options/errors.ts";
import { openMemoryStore } from "../../../src/store/memory-store.ts";
import type { Store } from "../../../src/store/store.ts";

/** A call of a store. */
export interface Call {
  readonly call: string;
  readonly keys: readonly string[];
  readonly costs: readonly number[];
}

/** How calls fail, and whether the store has run them all the same. */
export interface Failure {
  readonly code: ErrorCode;
  readonly ran?: boolean;
}

export const NOT_SENT: Failure = { code: "ERR_STORE_SUSPENDED" };
export const NO_ANSWER: Failure = { code: "ERR_STORE_TIMEOUT" };

/** A memory store whose clock a test moves. It notes its calls, and fails as the test says. */
export function watchedStore(startUs: number = Date.UTC(2030, 0, 1) * 1000) {
  const world = { nowUs: startUs, failure: undefined as Failure | undefined };
  const asked: Call[] = [];
  const counts = openMemoryStore({ now: () => world.nowUs });

  function meet<Answer>(call: Call, run: () => Answer): Answer {
    asked.push(call);
    const { failure } = world;
    const answer = failure && !failure.ran ? undefined : run();
    if (failure) throw new StoreError(failure.code, "It failed.");
    return answer!;
  }

  const store: Store = {
    ...counts,
    decide: (call, keys, costs, ...more) =>
      meet({ call, keys, costs }, () => counts.decide(call, keys, costs, ...more)),
    refund: async (keys, costs, ...more) =>
      meet({ call: "refund", keys, costs }, () => counts.refund!(keys, costs, ...more)),
    extend: async (keys, ...more) =>
      meet({ call: "extend", keys, costs: [] }, () => counts.extend!(keys, ...more)),
  };
  return { store, counts, world, asked };
}
