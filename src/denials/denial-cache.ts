import type { Row } from "../algorithms/model.ts";
import type { Reply } from "../store/store.ts";
import { createClockCache, type ClockCache } from "./clock-cache.ts";

export interface DenialCache {
  /** What is known about a request of this cost. Only the first caller after a denial's end finds it `expired`. */
  find(partition: string, cost: number, now: number): Knowledge;
  /** Notes what an answer says about the next request of the same cost. The rows are always as many. */
  learn(partition: string, cost: number, sentAt: number, reply: Reply): void;
  /** Drops what is known, and what answers to requests sent before now will say. */
  forget(partition: string, now: number): void;
}

/** A denial as it stands now. It is the reply itself, so that a denied request allocates nothing more. */
export interface KnownDenial extends Reply {
  readonly state: "denied";
}

export type Knowledge = KnownDenial | { readonly state: "expired" } | { readonly state: "unknown" };

const EXPIRED = { state: "expired" } as const;
const UNKNOWN = { state: "unknown" } as const;

/**
 * How much faster than Redis's clock this isolate's may run: NTP slews a clock by at most 500 ppm. A denial is trusted
 * for that much less than its wait.
 */
export const DRIFT = 5e-4;

/** Before the rows of a denial stand its cost, when it was sent, and what the store's clock showed. */
const HEAD = 3;

/** A reset by another isolate cannot reach this one: after this long, a denial is asked for again. Milliseconds. */
const MAX_TRUST = 60_000;

/**
 * What this isolate knows to be denied. It never outlasts the true denial: consumption only grows, so the wait that
 * Redis reported is a lower bound, and it is counted from the moment the request was sent, before Redis saw it.
 *
 * @param maxEntries from 1; beyond it, one is forgotten that was not used lately
 */
export function createDenialCache(maxEntries: number): DenialCache {
  // Made with the first denial: the random numbers that it needs must not be drawn while a module is loaded.
  let known: ClockCache | undefined;
  let columns = 0;
  let forgotAt = -Infinity;

  return {
    find(partition, cost, now) {
      const slot = known?.find(partition);
      if (!slot) return UNKNOWN;
      const { numbers } = known!;
      const at = slot * columns;
      if (cost < numbers[at]!) return UNKNOWN;
      let wait = 0;
      for (let row = at + HEAD; row < at + columns; row += 3) {
        if (numbers[row + 1]! > wait) wait = numbers[row + 1]!;
      }
      if (now >= numbers[at + 1]! + Math.min((wait / 1000) * (1 - DRIFT), MAX_TRUST)) {
        known!.remove(slot);
        return EXPIRED;
      }
      return replyAt(numbers, at, at + columns, now);
    },

    learn(partition, cost, sentAt, { nowUs, rows }) {
      if (rows.every(({ retryAfterUs }) => retryAfterUs === 0) || sentAt <= forgotAt) return;
      const denial = [cost, sentAt, nowUs];
      for (const { remaining, retryAfterUs, resetAfterUs } of rows) {
        denial.push(remaining, retryAfterUs, resetAfterUs);
      }
      columns = denial.length;
      known ??= createClockCache(maxEntries, columns, partition.length);
      known.set(partition, denial);
    },

    forget(partition, now) {
      const slot = known?.find(partition);
      if (slot) known!.remove(slot);
      forgotAt = now;
    },
  };
}

/** A denial with what has passed since it was learnt taken off its times: the moments that they lead to stay the same. */
function replyAt(known: Float64Array, from: number, end: number, now: number): KnownDenial {
  const passed = (now - known[from + 1]!) * 1000;
  const rows: Row[] = [];
  for (let at = from + HEAD; at < end; at += 3) {
    const retryAfterUs = known[at + 1]!;
    rows.push({
      allowed: retryAfterUs <= passed,
      remaining: known[at]!,
      retryAfterUs: Math.max(0, retryAfterUs - passed),
      resetAfterUs: Math.max(0, known[at + 2]! - passed),
    });
  }
  return { state: "denied", nowUs: known[from + 2]! + passed, rows };
}
