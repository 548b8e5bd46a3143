import type { Reply } from "../store/store.ts";

/** Units taken by one lease, and when they expire. */
export interface Grant {
  units: number;
  readonly untilMs: number;
}

/**
 * What an isolate holds for one identity and knows about its demand. Plain data, so that requests may share it. Times
 * are milliseconds of the isolate's monotonic clock.
 */
export interface Holding {
  /** Oldest first. There are few, because the next lease is requested only when the last is nearly spent. */
  grants: Grant[];
  /** Units requested since `sinceMs`, and in the period before it. */
  sinceMs: number;
  asked: number;
  askedBefore: number;
  /** When the last request arrived, and until when answers asked clients to wait. */
  seenAtMs: number;
  silentUntilMs: number;
  /** Redis's answer to the latest lease, and when that was requested. */
  answer: Reply;
  sentAtMs: number;
  /** Whether that answer left a policy without room. */
  short: boolean;
  /** No other lease is requested before this moment. */
  pausedUntilMs: number;
}

const NO_ANSWER: Reply = { nowUs: 0, rows: [] };

export function createHolding(nowMs: number): Holding {
  return {
    grants: [],
    sinceMs: nowMs,
    asked: 0,
    askedBefore: 0,
    seenAtMs: nowMs,
    silentUntilMs: nowMs,
    answer: NO_ANSWER,
    sentAtMs: nowMs,
    short: false,
    pausedUntilMs: nowMs,
  };
}

/**
 * Counts a request and returns the units requested within the last `periodMs`, by a sliding window of two counts. While
 * clients wait as asked, its clock stands still.
 */
export function countDemand(
  holding: Holding,
  cost: number,
  nowMs: number,
  periodMs: number,
): number {
  holding.sinceMs += Math.max(0, Math.min(nowMs, holding.silentUntilMs) - holding.seenAtMs);
  holding.seenAtMs = nowMs;
  const periods = Math.floor((nowMs - holding.sinceMs) / periodMs);
  if (periods > 0) {
    holding.askedBefore = periods === 1 ? holding.asked : 0;
    holding.asked = 0;
    holding.sinceMs += periods * periodMs;
  }
  holding.asked += cost;
  return holding.askedBefore * (1 - (nowMs - holding.sinceMs) / periodMs) + holding.asked;
}

/** The units that may be spent now; drops grants that are spent or expired. */
export function heldUnits(holding: Holding, nowMs: number): number {
  holding.grants = holding.grants.filter(({ units, untilMs }) => units > 0 && untilMs > nowMs);
  let held = 0;
  for (const { units } of holding.grants) held += units;
  return held;
}

/** Spends units, at most as many as `heldUnits` returned, the oldest first. Returns what it spent. */
export function spend({ grants }: Holding, units: number): readonly Readonly<Grant>[] {
  const spent: Grant[] = [];
  for (const grant of grants) {
    const part = Math.min(grant.units, units);
    if (part === 0) continue;
    grant.units -= part;
    units -= part;
    spent.push({ units: part, untilMs: grant.untilMs });
  }
  return spent;
}

/** Puts units back that were spent for nothing. They expire when they would have. */
export function putBack({ grants }: Holding, spent: readonly Readonly<Grant>[]): void {
  for (const { units, untilMs } of spent) {
    const later = grants.findIndex((grant) => grant.untilMs >= untilMs);
    if (grants[later]?.untilMs === untilMs) grants[later].units += units;
    else grants.splice(later < 0 ? grants.length : later, 0, { units, untilMs });
  }
}
