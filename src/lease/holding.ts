import type { Reply } from "../store/store.ts";

/** Units taken by one lease, and when they expire. */
interface Grant {
  units: number;
  readonly until: number;
}

/**
 * What an isolate holds for one identity and knows about its demand. Plain data, so that requests may share it. Times
 * are milliseconds of the isolate's monotonic clock.
 */
export interface Holding {
  /** Oldest first. There are few, because the next lease is requested only when the last is nearly spent. */
  grants: Grant[];
  /** Units requested since `since`, and in the period before it. */
  since: number;
  asked: number;
  askedBefore: number;
  /** When the last request arrived, and until when clients that were told to wait may stay away. */
  seenAt: number;
  silentUntil: number;
  /** Redis's answer to the latest lease, and when that was requested. */
  answer: Reply;
  sentAt: number;
  /** Whether that answer left a policy without room. */
  short: boolean;
  /** No other lease is requested before this moment. */
  pausedUntil: number;
}

const NO_ANSWER: Reply = { nowUs: 0, rows: [] };

export function createHolding(now: number): Holding {
  return {
    grants: [],
    since: now,
    asked: 0,
    askedBefore: 0,
    seenAt: now,
    silentUntil: now,
    answer: NO_ANSWER,
    sentAt: now,
    short: false,
    pausedUntil: now,
  };
}

/**
 * Counts a request and returns the units requested within the last `period`, by a sliding window of two counts. While
 * clients stay away as told, its clock stands still.
 */
export function countDemand(holding: Holding, cost: number, now: number, period: number): number {
  holding.since += Math.max(0, Math.min(now, holding.silentUntil) - holding.seenAt);
  holding.seenAt = now;
  const periods = Math.floor((now - holding.since) / period);
  if (periods > 0) {
    holding.askedBefore = periods === 1 ? holding.asked : 0;
    holding.asked = 0;
    holding.since += periods * period;
  }
  holding.asked += cost;
  return holding.askedBefore * (1 - (now - holding.since) / period) + holding.asked;
}

/** The units that may be spent now; drops grants that are spent or expired. */
export function heldUnits(holding: Holding, now: number): number {
  holding.grants = holding.grants.filter(({ units, until }) => units > 0 && until > now);
  let held = 0;
  for (const { units } of holding.grants) held += units;
  return held;
}

/** Spends units, at most as many as `heldUnits` returned, the oldest first. */
export function spend({ grants }: Holding, units: number): void {
  for (const grant of grants) {
    const spent = Math.min(grant.units, units);
    grant.units -= spent;
    units -= spent;
  }
}
