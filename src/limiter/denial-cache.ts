import type { Row } from "../store/store.ts";

export interface DenialCache {
  /**
   * The rows of a denial that is known for this cost, as they stand now; `undefined` if none is, and `null` to the
   * first that asks after one has run out.
   */
  find(partition: string, cost: number, now: number): readonly Row[] | null | undefined;
  /** Notes what an answer says about the next request of the same cost. */
  learn(partition: string, cost: number, sentAt: number, rows: readonly Row[]): void;
  /** Drops what is known, and what answers to requests sent before now will say. */
  forget(partition: string, now: number): void;
}

/**
 * What is known of one partition: [0] from which cost on every request is denied, [1] until when, [2] when the request
 * was sent that was answered; then of each row what remains, its retry after and its reset after. A list of numbers
 * because of its size: thousands are kept.
 */
type KnownDenial = readonly number[];

/**
 * How much faster than Redis's clock this isolate's may run: NTP slews a clock by at most 500 ppm. A denial is trusted
 * for that much less than its wait.
 */
export const DRIFT = 5e-4;

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
      if (denial === undefined || cost < denial[0]!) return undefined;
      known.delete(partition);
      if (now >= denial[1]!) return null;
      known.set(partition, denial);
      return rowsAt(denial, now);
    },

    learn(partition, cost, sentAt, rows) {
      let wait = 0;
      for (const { retryAfter } of rows) {
        if (retryAfter > wait) wait = retryAfter;
      }
      if (wait === 0 || sentAt <= forgotAt) return;
      const until = sentAt + Math.min((wait / 1000) * (1 - DRIFT), MAX_TRUST);
      // Of its final length at once: a list that grows keeps room for more.
      const denial = Array<number>(3 + 3 * rows.length);
      denial[0] = cost;
      denial[1] = until;
      denial[2] = sentAt;
      rows.forEach(({ remaining, retryAfter, resetAfter }, i) => {
        denial[3 * i + 3] = remaining;
        denial[3 * i + 4] = retryAfter;
        denial[3 * i + 5] = resetAfter;
      });
      known.delete(partition);
      known.set(partition, denial);
      if (known.size > maxEntries) known.delete(known.keys().next().value!);
    },

    forget(partition, now) {
      known.delete(partition);
      forgotAt = now;
    },
  };
}

/** The rows of a denial, with what has passed since it was learnt taken off their times. */
function rowsAt(denial: KnownDenial, now: number): readonly Row[] {
  const passed = (now - denial[2]!) * 1000;
  const rows: Row[] = [];
  for (let at = 3; at < denial.length; at += 3) {
    const retryAfter = denial[at + 1]!;
    rows.push({
      allowed: retryAfter <= passed,
      remaining: denial[at]!,
      retryAfter: Math.max(0, retryAfter - passed),
      resetAfter: Math.max(0, denial[at + 2]! - passed),
    });
  }
  return rows;
}
