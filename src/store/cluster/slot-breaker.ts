import { createBreaker, THRESHOLD, SLOTS, type StoreBreaker } from "../breaker.ts";
import { CrossSlotError } from "../redis/errors.ts";
import { hashSlot } from "./hash-slot.ts";

/**
 * Hash slots that are suspended together. A master of a Redis Cluster has thousands of consecutive slots, so hardly any
 * group belongs to two masters, and an isolate needs few failures to find the groups that do not answer.
 */
const GROUP = 64;

/**
 * After this long without an answer, failures count against the whole store. Groups that are not suspended have the
 * first chance to probe it for as long.
 */
const QUIET_MS = 250;

/** Consecutive failures of one group that suggest a dead part: sporadic losses rarely cause as many. */
const LIKELY = 3;

/** An outage has ended if no group failed for this long: until then, more failures may follow. */
const SETTLED_MS = 1_000;

/** Groups without requests are forgotten after this long without a failure. */
const FORGET_MS = 10_000;

const groupOf = (key: string) => Math.floor(hashSlot(key) / GROUP);

/**
 * A circuit breaker for a store whose parts fail independently, such as the masters of a cluster. It suspends groups of
 * hash slots that do not answer, and the whole store when several groups fail and none answers. One request per second
 * to a suspended part passes, as a probe.
 */
export function createSlotBreaker(): StoreBreaker {
  const redis = createBreaker();
  /** One breaker for all suspended groups: when one of them answers, the others may try as well. */
  const parts = createBreaker();
  /** Consecutive failures of each group since its last answer; empty without an outage. */
  const failures = new Map<number, number>();
  /**
   * Groups that answered during the outage. Once a part is likely dead, the next failure of any group that has not
   * answered suspends it, also the fourth failure of the likely dead group.
   */
  const answered = new Set<number>();
  let answeredAtMs = -Infinity;
  let failedAtMs = -Infinity;
  let isOutage = false;

  const isSuspended = (group: number) => (failures.get(group) ?? 0) >= THRESHOLD;

  return {
    admits(key, nowMs) {
      if (failures.size === 0) return true;
      const suspended = isSuspended(groupOf(key));
      if (redis.state(suspended ? nowMs - QUIET_MS : nowMs) === "open") return false;
      return (!suspended || parts.admits(nowMs)) && redis.admits(nowMs);
    },

    succeeded(key, nowMs) {
      answeredAtMs = nowMs;
      if (failures.size === 0) return false;
      const group = groupOf(key);
      const wasWhole = redis.state(nowMs) !== "closed";
      if (wasWhole || isSuspended(group)) parts.succeeded();
      redis.succeeded();
      failures.delete(group);
      if ((wasWhole && answered.size === 0) || Math.abs(nowMs - failedAtMs) > FORGET_MS)
        failures.clear();
      answered.add(group);
      if (failures.size === 0) {
        answered.clear();
        parts.succeeded();
      }
      if (failures.size > 0 && Math.abs(nowMs - failedAtMs) < SETTLED_MS) return false;
      for (const other of failures.keys()) if (isSuspended(other)) return false;
      const ends = isOutage;
      isOutage = false;
      return ends;
    },

    failed(key, sentAtMs, nowMs) {
      failedAtMs = nowMs;
      // The clock stepped back.
      if (nowMs < answeredAtMs) answeredAtMs = -Infinity;
      const begins = !isOutage;
      isOutage = true;
      const group = groupOf(key);
      const before = failures.get(group) ?? 0;
      const likely = !answered.has(group) && [...failures.values()].some((n) => n >= LIKELY);
      failures.set(group, likely ? THRESHOLD : before + 1);
      if (before >= THRESHOLD || parts.state(nowMs) === "closed") parts.failed(nowMs);
      // Counted once per group, so that one busy key of a dead part does not suspend the whole store.
      const speaksOfAll =
        before === 0 && sentAtMs >= answeredAtMs && nowMs - answeredAtMs >= QUIET_MS;
      if (speaksOfAll || redis.state(nowMs) !== "closed") redis.failed(nowMs);
      return begins;
    },

    // Every master refuses keys of several slots; the store then gets a call for each slot.
    isAnswer: (error) => error instanceof CrossSlotError,

    state(nowMs) {
      const breaker = redis.state(nowMs);
      if (breaker !== "closed") return { breaker, suspendedSlots: SLOTS };
      let suspendedSlots = 0;
      for (const group of failures.keys()) if (isSuspended(group)) suspendedSlots += GROUP;
      if (suspendedSlots === 0) return { breaker, suspendedSlots };
      return { breaker: parts.state(nowMs) === "open" ? "open" : "half-open", suspendedSlots };
    },
  };
}
