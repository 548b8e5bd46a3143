import type { BreakerState } from "../runtime/breaker.ts";

/** Hash slots of a Redis Cluster. */
export const SLOTS = 16_384;

/** The suspended parts of a store. */
export interface StoreBreakerState {
  /** Open if any part is suspended, half-open if the next request to it is a probe. */
  readonly breaker: BreakerState;
  /** The number of suspended hash slots, of 16,384. */
  readonly suspendedSlots: number;
}

/** A circuit breaker for a store, or for each part of one. */
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
