import type { Reply } from "../store/store.ts";

/** Units that one lease took, and until when they may be spent. */
interface Grant {
  units: number;
  readonly until: number;
}

/**
 * What an isolate holds of one identity and knows of its demand. Plain data, so that requests may share it. Times in
 * milliseconds of the isolate's monotonic clock.
 */
export interface Holding {
  /** Oldest first: at most a few, because the next lease is only asked for when the last is nearly spent. */
  grants: Grant[];
  /** Units asked for since a moment, and in the period before it. */
  since: number;
  asked: number;
  askedBefore: number;
  /** When the latest request came, and until when none may come because they were told to wait. */
  seenAt: number;
  silentUntil: number;
  /** What Redis said of the latest lease, and when that was asked for. */
  answer: Reply;
  sentAt: number;
  /** Whether Redis then had no more. */
  short: boolean;
  /** Before this moment no other lease is asked for. */
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
 * Counts a request, and says how many units were asked for within the last `period`, by the sliding count of two. While
 * requests are kept back, its clock stands still.
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

/** The units that may be spent now. */
export function heldUnits(holding: Holding, now: number): number {
  holding.grants = holding.grants.filter(({ units, until }) => units > 0 && until > now);
  let held = 0;
  for (const { units } of holding.grants) held += units;
  return held;
}

/** Spends units that `heldUnits` has just said to be there, the oldest first. */
export function spend({ grants }: Holding, units: number): void {
  for (const grant of grants) {
    const spent = Math.min(grant.units, units);
    grant.units -= spent;
    units -= spent;
  }
}
