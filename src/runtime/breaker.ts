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
