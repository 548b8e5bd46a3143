import type { Row } from "../algorithms/model.ts";
import type { Reply } from "../store/store.ts";
import { createClockCache, type ClockCache } from "./clock-cache.ts";

/** The denials that an isolate knows. Times are milliseconds of the isolate's clock. */
export interface DenialCache {
  /** What is known about a request of this cost. Only the first caller after a denial's end finds it `expired`. */
  find(partition: string, cost: number, nowMs: number): Knowledge;
  /**
   * Notes how long requests of the same cost will be denied. Every reply of a limiter has the same number of rows.
   *
   * @param decidedAtMs the earliest moment at which Redis can have decided
   * @param deniedBefore `denied` of the denial that expired before this request
   */
  learn(
    partition: string,
    cost: number,
    decidedAtMs: number,
    reply: Reply,
    deniedBefore?: boolean,
  ): void;
  /** Drops what is known, and ignores replies that Redis may have decided before now. */
  forget(partition: string, nowMs: number): void;
}

/** A denial as it stands now. It is the reply itself, so that a denied request allocates nothing more. */
export interface KnownDenial extends Reply {
  readonly state: "denied";
}

/** A denial that has just expired. */
export interface ExpiredDenial {
  readonly state: "expired";
  /** Whether a request was denied since the partition last had room. If not, one only took the last units. */
  readonly denied: boolean;
}

export type Knowledge = KnownDenial | ExpiredDenial | { readonly state: "unknown" };

const EXPIRED = { state: "expired", denied: true } as const;
const EXPIRED_UNUSED = { state: "expired", denied: false } as const;
const UNKNOWN = { state: "unknown" } as const;

/**
 * How much slower than Redis's clock this isolate's may run, as a share: NTP slews a clock by at most 500 ppm. A denial
 * is trusted for that much less than its wait.
 */
export const DRIFT = 5e-4;

/**
 * The columns before the rows of a denial: its cost, the earliest moment of the decision (ms), and what Redis's clock
 * showed (us). The cost is negative until a request is denied, because a separate column would enlarge each entry.
 */
const HEAD = 3;

/** A reset by another isolate does not reach this one, so after this long Redis is asked again. */
const MAX_TRUST_MS = 60_000;

/**
 * A known denial never outlasts the true one: consumption only grows, so the wait that Redis reported is a lower bound,
 * and it counts from the earliest moment of the decision. A wait of 10 s is known for 9.995 s.
 *
 * @param maxEntries from 1; beyond it, an entry that was not used lately is evicted
 */
export function createDenialCache(maxEntries: number): DenialCache {
  // Created with the first denial: Workers have no random numbers while a module is loaded.
  let known: ClockCache | undefined;
  let columns = 0;
  let forgotAtMs = -Infinity;

  return {
    find(partition, cost, nowMs) {
      const slot = known?.find(partition);
      if (!slot) return UNKNOWN;
      const { numbers } = known!;
      const at = slot * columns;
      const deniedCost = Math.abs(numbers[at]!);
      if (cost < deniedCost) return UNKNOWN;
      let waitUs = 0;
      for (let row = at + HEAD; row < at + columns; row += 3) {
        if (numbers[row + 1]! > waitUs) waitUs = numbers[row + 1]!;
      }
      if (nowMs >= numbers[at + 1]! + Math.min((waitUs / 1000) * (1 - DRIFT), MAX_TRUST_MS)) {
        known!.remove(slot);
        return numbers[at]! < 0 ? EXPIRED_UNUSED : EXPIRED;
      }
      numbers[at] = deniedCost;
      return denialAt(numbers, at, at + columns, nowMs);
    },

    learn(partition, cost, decidedAtMs, { nowUs: redisNowUs, rows }, deniedBefore = false) {
      if (rows.every(({ retryAfterUs }) => retryAfterUs === 0) || decidedAtMs <= forgotAtMs) return;
      const denied = deniedBefore || rows.some(({ allowed }) => !allowed);
      const denial = [denied ? cost : -cost, decidedAtMs, redisNowUs];
      for (const { remaining, retryAfterUs, resetAfterUs } of rows) {
        denial.push(remaining, retryAfterUs, resetAfterUs);
      }
      columns = denial.length;
      known ??= createClockCache(maxEntries, columns, partition.length);
      known.set(partition, denial);
    },

    forget(partition, nowMs) {
      const slot = known?.find(partition);
      if (slot) known!.remove(slot);
      forgotAtMs = nowMs;
    },
  };
}

/** A denial as it stands now: its times are shorter by what has elapsed, so that they end at the same moments. */
function denialAt(known: Float64Array, from: number, end: number, nowMs: number): KnownDenial {
  const elapsedUs = (nowMs - known[from + 1]!) * 1000;
  const rows: Row[] = [];
  for (let at = from + HEAD; at < end; at += 3) {
    const retryAfterUs = known[at + 1]!;
    rows.push({
      allowed: retryAfterUs <= elapsedUs,
      remaining: known[at]!,
      retryAfterUs: Math.max(0, retryAfterUs - elapsedUs),
      resetAfterUs: Math.max(0, known[at + 2]! - elapsedUs),
    });
  }
  return { state: "denied", nowUs: known[from + 2]! + elapsedUs, rows };
}
