import type { Row } from "../algorithms/model.ts";
import { createClockCache, type ClockCache } from "../runtime/clock-cache.ts";
import type { Reply } from "../store/store.ts";

/** The known denials of policies that share a partition key. Times are milliseconds of the isolate's clock. */
export interface DenialCache {
  /**
   * Looks up a denial of these costs, and notes that it denied a request. A denial stays `expired` until it is dropped or learnt
   * anew.
   */
  find(partition: string, costs: readonly number[], nowMs: number): Knowledge;
  /** Drops a partition's denial, if Redis can have decided it before this moment. */
  drop(partition: string, beforeMs?: number): void;
  /**
   * Notes the wait of requests of the same costs.
   *
   * @param decidedAtMs the earliest moment at which Redis can have decided
   * @param deniedBefore `denied` of the denial that expired before this request
   */
  learn(
    partition: string,
    costs: readonly number[],
    decidedAtMs: number,
    reply: Reply,
    deniedBefore?: boolean,
  ): void;
  /** Drops a partition's denial, and ignores replies that Redis may have decided before now. */
  forget(partition: string, nowMs: number): void;
}

/** A denial, projected to now. `find` returns this object as the reply, so that a denied request allocates one object less. */
export interface KnownDenial extends Reply {
  readonly state: "denied";
}

/** A denial that has expired. */
export interface ExpiredDenial {
  readonly state: "expired";
  /** Whether a request was denied since the partition last had room; `false`: an allowed request took the last units. */
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
 * The columns before the rows of a denial: the earliest moment of the decision (ms), and the time of Redis's clock
 * (us).
 */
const HEAD = 2;

/**
 * The columns of a row: its cost and one, `remaining`, `retryAfterUs` and `resetAfterUs`. The first row's cost is negative
 * until a request is denied, because a separate column would enlarge each entry.
 */
const WIDTH = 4;

/** A reset by another isolate does not reach this one, so this is the longest trust. */
const MAX_TRUST_MS = 60_000;

/**
 * A known denial never outlasts the true one: consumption only grows, so the wait that Redis reported is a lower bound,
 * and it counts from the earliest moment of the decision. A wait of 10 s is known for 9.995 s.
 *
 * @param maxEntries from 1; beyond it, an entry that was not used lately is evicted
 * @param rowCount the number of policies
 * @param evenLimits the limits of policies whose units come back one after the other; `undefined` for other policies
 */
export function createDenialCache(
  maxEntries: number,
  rowCount: number,
  evenLimits: readonly (number | undefined)[] = [],
): DenialCache {
  // Created with the first denial: Workers have no random numbers while a module is loaded.
  let known: ClockCache | undefined;
  const columns = HEAD + WIDTH * rowCount;
  let forgotAtMs = -Infinity;

  function drop(partition: string, beforeMs = Infinity): void {
    const slot = known?.find(partition);
    if (slot && known!.numbers[slot * columns]! < beforeMs) known!.remove(slot);
  }

  return {
    find(partition, costs, nowMs) {
      const slot = known?.find(partition);
      if (!slot) return UNKNOWN;
      const { numbers } = known!;
      const at = slot * columns;
      const decidedAtMs = numbers[at]!;
      let waitUs = 0;
      let ownWaitUs = 0;
      for (let row = 0; row < rowCount; row++) {
        const column = at + HEAD + WIDTH * row;
        const rowWaitUs = numbers[column + 2]!;
        if (rowWaitUs > waitUs) waitUs = rowWaitUs;
        if (rowWaitUs > ownWaitUs && costs[row]! >= Math.abs(numbers[column]!) - 1) {
          ownWaitUs = rowWaitUs;
        }
      }
      // Adds instead of subtracting: as milliseconds since 1970, both sides have the same small rounding error.
      if (nowMs >= decidedAtMs + trustMs(waitUs)) {
        return numbers[at + HEAD]! < 0 ? EXPIRED_UNUSED : EXPIRED;
      }
      if (nowMs >= decidedAtMs + trustMs(ownWaitUs)) return UNKNOWN;
      numbers[at + HEAD] = Math.abs(numbers[at + HEAD]!);
      return denialAt(numbers, at, rowCount, (nowMs - decidedAtMs) * 1000, costs, evenLimits);
    },

    drop,

    learn(partition, costs, decidedAtMs, { nowUs: redisNowUs, rows }, deniedBefore = false) {
      if (decidedAtMs <= forgotAtMs) return;
      let denied = deniedBefore;
      let waits = false;
      const denial = [decidedAtMs, redisNowUs];
      for (let row = 0; row < rowCount; row++) {
        const { allowed, remaining, retryAfterUs, resetAfterUs } = rows[row]!;
        denied ||= !allowed;
        waits ||= retryAfterUs > 0;
        denial.push(costs[row]! + 1, remaining, retryAfterUs, resetAfterUs);
      }
      if (!waits) return;
      if (!denied) denial[HEAD] = -denial[HEAD]!;
      known ??= createClockCache(maxEntries, columns, partition.length);
      known.set(partition, denial);
    },

    forget(partition, nowMs) {
      drop(partition);
      forgotAtMs = nowMs;
    },
  };
}

/** The time for which a denial with this wait is trusted. */
function trustMs(waitUs: number): number {
  return Math.min((waitUs / 1000) * (1 - DRIFT), MAX_TRUST_MS);
}

/** A denial, projected to now: its times are shorter by the elapsed time, so that they end at the same moments. */
function denialAt(
  known: Float64Array,
  at: number,
  rowCount: number,
  elapsedUs: number,
  costs: readonly number[],
  evenLimits: readonly (number | undefined)[],
): KnownDenial {
  const rows: Row[] = [];
  for (let row = 0; row < rowCount; row++) {
    const column = at + HEAD + WIDTH * row;
    const more = costs[row]! - (Math.abs(known[column]!) - 1);
    // The wait of a greater cost does not apply to a smaller one.
    let waitUs = more < 0 ? 0 : known[column + 2]!;
    if (more > 0 && waitUs > 0) {
      waitUs = greaterWaitUs(waitUs, known[column + 3]!, more, costs[row]!, evenLimits[row]);
    }
    rows.push({
      allowed: waitUs <= elapsedUs,
      remaining: known[column + 1]!,
      retryAfterUs: Math.max(0, waitUs - elapsedUs),
      resetAfterUs: Math.max(0, known[column + 3]! - elapsedUs),
    });
  }
  return { state: "denied", nowUs: known[at + 1]! + elapsedUs, rows };
}

/**
 * How long a lone client of a greater cost has to wait at most. Where units come back one after the other it is exact: the wait grows
 * evenly, up to the time at which the whole limit is free. Elsewhere it is that time, because a denial does not tell when enough
 * units leave a window.
 */
function greaterWaitUs(
  waitUs: number,
  resetUs: number,
  more: number,
  cost: number,
  evenLimit: number | undefined,
): number {
  if (evenLimit === undefined || cost >= evenLimit) return Math.max(waitUs, resetUs);
  return waitUs + Math.ceil(((resetUs - waitUs) * more) / (evenLimit - cost + more));
}
