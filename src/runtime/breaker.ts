/** Failures in a row before the store is left alone: few enough to spare requests, too many for one lost packet. */
export const THRESHOLD = 5;

/** How long it is left alone between probes, in milliseconds: it is found again within this time of coming back. */
const PAUSE = 1_000;

/** Closed lets everything through, open nothing; half-open waits for the next request, which is a probe. */
export type BreakerState = "closed" | "open" | "half-open";

/** A circuit breaker: after several failures in a row it lets one request per second through, as a probe. */
export interface Breaker {
  /** Whether to ask the store now; where it is a probe, the next one is a pause away even if this one never ends. */
  admits(now: number): boolean;
  succeeded(): void;
  /** Whether this failure is the first since the last success. */
  failed(now: number): boolean;
  state(now: number): BreakerState;
}

export function createBreaker(): Breaker {
  let failures = 0;
  let probeAt = 0;

  return {
    admits(now) {
      if (failures < THRESHOLD) return true;
      if (now < probeAt) return false;
      probeAt = now + PAUSE;
      return true;
    },
    succeeded() {
      failures = 0;
    },
    failed(now) {
      failures++;
      if (failures >= THRESHOLD) probeAt = now + PAUSE;
      return failures === 1;
    },
    state(now) {
      if (failures < THRESHOLD) return "closed";
      return now < probeAt ? "open" : "half-open";
    },
  };
}
