import { createBreaker } from "../runtime/breaker.ts";
import { SLOTS, type StoreBreaker } from "./store-breaker.ts";

/** A circuit breaker for one Redis, which answers or does not: whatever key fails speaks for all. */
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
      // Redis has answered since, so a late failure says nothing about it.
      return sentAtMs >= answeredAtMs && breaker.failed(nowMs);
    },

    isAnswer: () => false,

    state(nowMs) {
      const state = breaker.state(nowMs);
      return { breaker: state, suspendedSlots: state === "closed" ? 0 : SLOTS };
    },
  };
}
