import type { Reply } from "../../store/store.ts";

/** Units taken by one lease, and when they expire. */
export interface Grant {
  units: number;
  readonly untilMs: number;
  /** For each policy, how many of the units it has room for; left out if all have for all. */
  covered?: readonly number[] | undefined;
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
  /** Redis's answer to the latest lease, and when that was requested. */
  answer: Reply;
  sentAtMs: number;
  /** When the window of that answer ends, with which everything is given anew; `Infinity` if none does. */
  windowEndsMs: number;
  /** Whether that answer left a policy without room. */
  short: boolean;
  /** The units left by the latest answer to any request; 0 before the first, so that the store begins. */
  left: number;
  /** No other lease is requested before this moment. */
  pausedUntilMs: number;
  /** Until when a limit counts as reached. */
  reachedUntilMs: number;
  /** Whether that happened before `windowEndsMs`. */
  isFull: boolean;
  /** Units that expired unspent while a limit was reached, less a share of those admitted; below 0 what may still expire. */
  lost: number;
}

/**
 * How many units an isolate admits for each one that it let expire while a limit was reached, before its next large lease. So
 * of what a limit admits a thirty-second is lost, and what the leases before were too large by.
 */
const ADMITTED_PER_LOST = 32;

/** How many lost units may be earned in advance. Without any, one that chance lets expire would cost dozens of calls. */
const MAX_CREDIT = 8;

const NO_ANSWER: Reply = { nowUs: 0, rows: [] };

export function createHolding(nowMs: number): Holding {
  return {
    grants: [],
    sinceMs: nowMs,
    asked: 0,
    askedBefore: 0,
    answer: NO_ANSWER,
    sentAtMs: nowMs,
    windowEndsMs: Infinity,
    short: false,
    left: 0,
    pausedUntilMs: nowMs,
    reachedUntilMs: nowMs,
    isFull: false,
    lost: 0,
  };
}

/** Counts a request and returns the units requested within the last `periodMs`. */
export function countDemand(
  holding: Holding,
  cost: number,
  nowMs: number,
  periodMs: number,
): number {
  const demand = demandOf(holding, nowMs, periodMs);
  holding.asked += cost;
  return demand + cost;
}

/** The units requested within the last `periodMs`, by a sliding window of two counts. */
export function demandOf(holding: Holding, nowMs: number, periodMs: number): number {
  const periods = Math.floor((nowMs - holding.sinceMs) / periodMs);
  if (periods > 0) {
    holding.askedBefore = periods === 1 ? holding.asked : 0;
    holding.asked = 0;
    holding.sinceMs += periods * periodMs;
  }
  return holding.askedBefore * (1 - (nowMs - holding.sinceMs) / periodMs) + holding.asked;
}

/** The units that may be spent now; drops grants that are spent or expired, and notes what was lost with them. */
export function heldUnits(holding: Holding, nowMs: number): number {
  let held = 0;
  let expired = 0;
  for (const { units, untilMs } of holding.grants) {
    if (untilMs > nowMs) held += units;
    else expired += units;
  }
  holding.grants = holding.grants.filter(({ units, untilMs }) => units > 0 && untilMs > nowMs);
  holding.lost += expired;
  // Where the limit is not reached, or was not in a window that is over, nobody lacks them.
  const isOver = nowMs >= holding.windowEndsMs;
  if (nowMs >= holding.reachedUntilMs || (isOver && !holding.isFull))
    holding.lost = Math.min(0, holding.lost);
  if (isOver) Object.assign(holding, { windowEndsMs: Infinity, isFull: false });
  return held;
}

/** Whether too much was lost lately for a lease of more than is spent until the next one arrives. */
export function isIndebted({ lost }: Holding): boolean {
  return lost > 0;
}

/** Notes units that were admitted, on what is held or not. */
export function noteAdmitted(holding: Holding, units: number): void {
  holding.lost = Math.max(-MAX_CREDIT, holding.lost - units / ADMITTED_PER_LOST);
}

/** Spends units, at most as many as `heldUnits` returned, the oldest first. Returns what it spent. */
export function spend(
  { grants }: Pick<Holding, "grants">,
  units: number,
): readonly Readonly<Grant>[] {
  const spent: Grant[] = [];
  for (const grant of grants) {
    const part = Math.min(grant.units, units);
    if (part === 0) continue;
    const covered = grant.covered?.map((left) => Math.min(left, part));
    grant.units -= part;
    grant.covered = grant.covered?.map((left, i) => left - covered![i]!);
    units -= part;
    spent.push({ units: part, untilMs: grant.untilMs, covered });
  }
  return spent;
}

/** Of the units held, how many a policy has room for. Expired ones are dropped before. */
export function coveredUnits({ grants }: Holding, policy: number): number {
  return grants.reduce((total, { units, covered }) => total + (covered?.[policy] ?? units), 0);
}

/** Whether a policy has room for all units that were spent. */
export function coversAll(spent: readonly Readonly<Grant>[], policy: number): boolean {
  return spent.every(({ units, covered }) => (covered?.[policy] ?? units) >= units);
}

/** Puts units back that were spent for nothing. They expire when they would have. */
export function putBack({ grants }: Holding, spent: readonly Readonly<Grant>[]): void {
  for (const { units, untilMs, covered } of spent) {
    const later = grants.findIndex((grant) => grant.untilMs >= untilMs);
    const grant = grants[later];
    if (grant?.untilMs === untilMs) {
      grant.units += units;
      grant.covered = grant.covered?.map((left, i) => left + covered![i]!);
    } else grants.splice(later < 0 ? grants.length : later, 0, { units, untilMs, covered });
  }
}
