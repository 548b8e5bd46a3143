import { createBreaker } from "../runtime/breaker.ts";
import { SLOTS, type StoreBreaker } from "./store-breaker.ts";

/** A circuit breaker for one Redis, which fails as a whole: a failure with any key counts for all keys. */
export function createPlainBreaker(): StoreBreaker {
  const breaker = createBreaker();
  let answeredAtMs = -Infinity;
  return {
    admits: (_key, nowMs) => breaker.admits(nowMs),

    succeeded(_key, nowMs) {
      answeredAtMs = nowMs;
      return breaker.succeeded();
    },

    failed(_key, sentAtMs, nowMs) {
      // The clock stepped back.
      if (nowMs < answeredAtMs) answeredAtMs = -Infinity;
      // Redis has answered since, so a late failure does not prove an outage.
      return sentAtMs >= answeredAtMs && breaker.failed(nowMs);
    },

    isAnswer: () => false,

    state(nowMs) {
      const state = breaker.state(nowMs);
      return { breaker: state, suspendedSlots: state === "closed" ? 0 : SLOTS };
    },
  };
}
