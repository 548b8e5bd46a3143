import type { Row } from "../store/store.ts";

/** What is known of one partition: from `cost` on, every request is denied until `until`. */
export interface KnownDenial {
  readonly cost: number;
  /** Milliseconds on the isolate's monotonic clock. */
  readonly until: number;
  /** When the request was sent whose answer this is; the rows' times count from here. */
  readonly sentAt: number;
  readonly rows: readonly Row[];
}

export interface DenialCache {
  /** The denial known for this cost, if there is one. */
  find(partition: string, cost: number, now: number): KnownDenial | undefined;
  /** Notes what an answer says about the next request of the same cost. */
  learn(partition: string, cost: number, sentAt: number, rows: readonly Row[]): void;
  /** Drops what is known, and what answers to requests sent before now will say. */
  forget(partition: string, now: number): void;
}

/**
 * How much faster than Redis's clock this isolate's may run: NTP slews a clock by at most 500 ppm. A denial is trusted
 * for that much less than its wait.
 */
const DRIFT = 5e-4;

/** A reset by another isolate cannot reach this one: after this long, a denial is asked for again. Milliseconds. */
const MAX_TRUST = 60_000;

/**
 * What this isolate knows to be denied. It never outlasts the true denial: consumption only grows, so the wait that
 * Redis reported is a lower bound, and it is counted from the moment the request was sent, before Redis saw it.
 *
 * @param maxEntries beyond it, the partition unused for longest is forgotten
 */
export function createDenialCache(maxEntries: number): DenialCache {
  // A Map keeps the order of insertion: what is used is put back at the end, so the first is the one to go.
  const known = new Map<string, KnownDenial>();
  let forgotAt = -Infinity;

  return {
    find(partition, cost, now) {
      const denial = known.get(partition);
      if (denial === undefined || cost < denial.cost) return undefined;
      known.delete(partition);
      if (now >= denial.until) return undefined;
      known.set(partition, denial);
      return denial;
    },

    learn(partition, cost, sentAt, rows) {
      let wait = 0;
      for (const { retryAfter } of rows) {
        if (retryAfter > wait) wait = retryAfter;
      }
      if (wait === 0 || sentAt <= forgotAt) return;
      known.delete(partition);
      const until = sentAt + Math.min((wait / 1000) * (1 - DRIFT), MAX_TRUST);
      known.set(partition, { cost, until, sentAt, rows });
      if (known.size > maxEntries) known.delete(known.keys().next().value!);
    },

    forget(partition, now) {
      known.delete(partition);
      forgotAt = now;
    },
  };
}
