import { type BreakerState, createBreaker, THRESHOLD } from "../runtime/breaker.ts";
import { hashSlot, SLOTS } from "./hash-slot.ts";

/**
 * Slots that are suspended together. A master of a Redis Cluster has thousands in a row, so hardly any group is of two
 * masters; and an isolate knows after few failures which groups do not answer.
 */
const GROUP = 64;

/**
 * For how long nothing may have answered before failures speak of the whole store; and for how long the probe of the
 * whole is left to groups that are not suspended. Milliseconds.
 */
const QUIET = 250;

/** Failures in a row of one group after which a part is likely gone: no sporadic loss does that often. */
const LIKELY = 3;

/** Before that, a failure may be followed by others of the same outage, though some groups answer. Milliseconds. */
const SETTLED = 1_000;

/** After how long without any failure groups are forgotten that nobody asks about, in milliseconds. */
const FORGET = 10_000;

/** What of a store is not asked. */
export interface StoreBreakerState {
  /** Open if anything is suspended, half-open if the next request about it is a probe. */
  readonly breaker: BreakerState;
  /** How many hash slots are suspended, of 16,384. */
  readonly suspendedSlots: number;
}

/**
 * A circuit breaker for a store whose parts fail apart, such as the masters of a cluster. Groups of hash slots that do
 * not answer are suspended, and so is the whole store where several fail and nothing answers. Of all that is suspended
 * one request per second passes, as a probe.
 */
export interface StoreBreaker {
  /** Whether to ask the store about this key now. */
  admits(key: string, now: number): boolean;
  /** Whether this success ends an outage: nothing is suspended any more. */
  succeeded(key: string, now: number): boolean;
  /** Whether this failure of what was sent at that moment begins an outage. */
  failed(key: string, sentAt: number, now: number): boolean;
  state(now: number): StoreBreakerState;
}

const groupOf = (key: string) => Math.floor(hashSlot(key) / GROUP);

export function createStoreBreaker(): StoreBreaker {
  const whole = createBreaker();
  /** For all suspended groups together: when one of them answers, the others may try, too. */
  const parts = createBreaker();
  /** Failures in a row of each group that has failed since it last answered. While there are none, all is well. */
  const failures = new Map<number, number>();
  /** Groups that answered meanwhile. Where a part is likely gone, one failure says little of them, and enough of others. */
  const answered = new Set<number>();
  let answeredAt = -Infinity;
  let failedAt = -Infinity;
  let isOutage = false;

  const isSuspended = (group: number) => (failures.get(group) ?? 0) >= THRESHOLD;

  return {
    admits(key, now) {
      if (failures.size === 0) return true;
      const suspended = isSuspended(groupOf(key));
      if (whole.state(suspended ? now - QUIET : now) === "open") return false;
      return (!suspended || parts.admits(now)) && whole.admits(now);
    },

    succeeded(key, now) {
      answeredAt = now;
      if (failures.size === 0) return false;
      const group = groupOf(key);
      const wasWhole = whole.state(now) !== "closed";
      if (wasWhole || isSuspended(group)) parts.succeeded();
      whole.succeeded();
      failures.delete(group);
      if ((wasWhole && answered.size === 0) || Math.abs(now - failedAt) > FORGET) failures.clear();
      answered.add(group);
      if (failures.size === 0) {
        answered.clear();
        parts.succeeded();
      }
      if (failures.size > 0 && Math.abs(now - failedAt) < SETTLED) return false;
      for (const other of failures.keys()) if (isSuspended(other)) return false;
      const ends = isOutage;
      isOutage = false;
      return ends;
    },

    failed(key, sentAt, now) {
      failedAt = now;
      // The clock went back.
      if (now < answeredAt) answeredAt = -Infinity;
      const begins = !isOutage;
      isOutage = true;
      const group = groupOf(key);
      const before = failures.get(group) ?? 0;
      const likely = !answered.has(group) && [...failures.values()].some((n) => n >= LIKELY);
      failures.set(group, likely ? THRESHOLD : before + 1);
      if (before >= THRESHOLD || parts.state(now) === "closed") parts.failed(now);
      // Once for each group, so that one busy key of a dead part does not take the others with it.
      const speaksOfAll = before === 0 && sentAt >= answeredAt && now - answeredAt >= QUIET;
      if (speaksOfAll || whole.state(now) !== "closed") whole.failed(now);
      return begins;
    },

    state(now) {
      const breaker = whole.state(now);
      if (breaker !== "closed") return { breaker, suspendedSlots: SLOTS };
      let suspendedSlots = 0;
      for (const group of failures.keys()) if (isSuspended(group)) suspendedSlots += GROUP;
      if (suspendedSlots === 0) return { breaker, suspendedSlots };
      return { breaker: parts.state(now) === "open" ? "open" : "half-open", suspendedSlots };
    },
  };
}
