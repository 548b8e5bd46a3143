import type { Operation, Row } from "../../../src/algorithms/model.ts";
import type { Reply, Store } from "../../../src/store/store.ts";

/** The arguments of one call of a store. */
export interface Asked {
  readonly operation: Operation;
  readonly keys: readonly string[];
  readonly costs: readonly number[];
}

/** A store with scripted answers that notes its calls. */
export function scriptedStore(answer: (asked: Asked) => Reply | Promise<Reply>) {
  const asked: Asked[] = [];
  const resets: (readonly string[])[] = [];
  const store: Store = {
    decide(operation, keys, costs) {
      const question = { operation, keys, costs };
      asked.push(question);
      return answer(question);
    },
    reset: (keys) => void resets.push(keys),
  };
  return { store, asked, resets };
}

/** A row that has room, or waits for this many milliseconds. */
export function row(wait = 0): Row {
  return {
    allowed: wait === 0,
    remaining: 0,
    retryAfterUs: wait * 1000,
    resetAfterUs: wait * 1000,
  };
}
