/** Consecutive failures that open the breaker: few enough to spare requests, too many for one lost packet. */
export const THRESHOLD = 5;

/** Milliseconds between probes: a store that recovers is noticed within this time. */
const PAUSE_MS = 1_000;

/** `closed` admits all requests, `open` none; `half-open` admits the next request as a probe. */
export type BreakerState = "closed" | "open" | "half-open";

/** A circuit breaker: after several consecutive failures it admits one request per second, as a probe. */
export interface Breaker {
  /** Whether to make a request now. A probe delays the next one by a pause, even if it never ends. */
  admits(nowMs: number): boolean;
  /** Notes a success; returns whether it is the first since a failure. */
  succeeded(): boolean;
  /** Notes a failure; returns whether it is the first since the last success. */
  failed(nowMs: number): boolean;
  state(nowMs: number): BreakerState;
}

export function createBreaker(): Breaker {
  let failures = 0;
  let probeAtMs = 0;

  return {
    admits(nowMs) {
      if (failures < THRESHOLD) return true;
      if (nowMs < probeAtMs) return false;
      probeAtMs = nowMs + PAUSE_MS;
      return true;
    },
    succeeded() {
      const hadFailed = failures > 0;
      failures = 0;
      return hadFailed;
    },
    failed(nowMs) {
      failures++;
      if (failures >= THRESHOLD) probeAtMs = nowMs + PAUSE_MS;
      return failures === 1;
    },
    state(nowMs) {
      if (failures < THRESHOLD) return "closed";
      return nowMs < probeAtMs ? "open" : "half-open";
    },
  };
}

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

/** Hash slots of a Redis Cluster. */
export const SLOTS = 16_384;

export interface StoreBreakerState {
  /** Open if any part is suspended, half-open if the next request to it is a probe. */
  readonly breaker: BreakerState;
  /** The number of suspended hash slots, of 16,384. */
  readonly suspendedSlots: number;
}

export interface StoreBreaker {
  /** Whether to ask the store about this key now. */
  admits(key: string, nowMs: number): boolean;
  /** Notes an answer; returns whether it ends an outage, so that no part is suspended any more. */
  succeeded(key: string, nowMs: number): boolean;
  /** Notes a failed request; returns whether it begins an outage. */
  failed(key: string, sentAtMs: number, nowMs: number): boolean;
  /** Whether an error shows that the store works, and only refuses this form of call. */
  isAnswer(error: unknown): boolean;
  state(nowMs: number): StoreBreakerState;
}
