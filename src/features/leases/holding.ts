import type { Reply } from "../../store/store.ts";

/** Units of one lease, and their expiry. */
export interface Grant {
  units: number;
  readonly untilMs: number;
  /** For each policy, the number of the units that it has room for; absent if every policy has room for all. */
  covered?: readonly number[] | undefined;
}

/**
 * The units that an isolate holds for one identity, and its demand. Plain data, so that requests may share it. Times
 * are milliseconds of the isolate's monotonic clock.
 */
export interface Holding {
  /** Oldest first. There are few, because an isolate requests the next lease only when the last is nearly spent. */
  grants: Grant[];
  /** Units requested since `sinceMs`, and in the period before it. */
  sinceMs: number;
  requested: number;
  requestedBefore: number;
  /** Redis's answer to the latest lease, and the time of the request. */
  answer: Reply;
  sentAtMs: number;
  /** The end of that answer's window, after which the whole limit is available again; `Infinity` if there is none. */
  windowEndsMs: number;
  /** Whether that answer left a policy without room. */
  short: boolean;
  /** The units left by the latest answer to any request; 0 before the first, so that the store begins. */
  left: number;
  /** No lease is requested before this moment. */
  pausedUntilMs: number;
  /** The limit counts as reached until this moment. */
  reachedUntilMs: number;
  /** Whether the limit was reached in the window that ends at `windowEndsMs`. */
  isFull: boolean;
  /**
   * Units that expired unspent while a limit was reached, less a share of the admitted units. Below 0, it is the number
   * that may still expire.
   */
  lost: number;
}

/**
 * The units that an isolate must admit, before its next large lease, for each unit that expired while a limit was
 * reached. So a limit loses a thirty-second of its units, plus the excess of earlier leases.
 */
const ADMITTED_PER_LOST = 32;

/**
 * The most expired units that are forgiven in advance. Without this credit, one unit that expires by chance would cost
 * dozens of calls.
 */
const MAX_CREDIT = 8;

const NO_ANSWER: Reply = { nowUs: 0, rows: [] };

export function createHolding(nowMs: number): Holding {
  return {
    grants: [],
    sinceMs: nowMs,
    requested: 0,
    requestedBefore: 0,
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
  holding.requested += cost;
  return demand + cost;
}

/** The units requested within the last `periodMs`, by a sliding window of two counts. */
export function demandOf(holding: Holding, nowMs: number, periodMs: number): number {
  const periods = Math.floor((nowMs - holding.sinceMs) / periodMs);
  if (periods > 0) {
    holding.requestedBefore = periods === 1 ? holding.requested : 0;
    holding.requested = 0;
    holding.sinceMs += periods * periodMs;
  }
  return holding.requestedBefore * (1 - (nowMs - holding.sinceMs) / periodMs) + holding.requested;
}

/** The units that may be spent now. Drops spent and expired grants, and notes the lost units. */
export function leasedUnits(holding: Holding, nowMs: number): number {
  let leased = 0;
  let expired = 0;
  for (const { units, untilMs } of holding.grants) {
    if (untilMs > nowMs) leased += units;
    else expired += units;
  }
  holding.grants = holding.grants.filter(({ units, untilMs }) => units > 0 && untilMs > nowMs);
  holding.lost += expired;
  // Before the limit is reached, or after its window, no other isolate lacks these units.
  const isOver = nowMs >= holding.windowEndsMs;
  if (nowMs >= holding.reachedUntilMs || (isOver && !holding.isFull))
    holding.lost = Math.min(0, holding.lost);
  if (isOver) Object.assign(holding, { windowEndsMs: Infinity, isFull: false });
  return leased;
}

/** Whether the isolate lost too many units lately for a lease larger than one round trip's demand. */
export function isIndebted({ lost }: Holding): boolean {
  return lost > 0;
}

/** Notes admitted units, leased or not. */
export function noteAdmitted(holding: Holding, units: number): void {
  holding.lost = Math.max(-MAX_CREDIT, holding.lost - units / ADMITTED_PER_LOST);
}

/** Spends leased units, the oldest first, at most as many as `leasedUnits` returned. Returns the spent grants. */
export function spend(
  { grants }: Pick<Holding, "grants">,
  units: number,
): readonly Readonly<Grant>[] {
  const spent: Grant[] = [];
  for (const grant of grants) {
    const portion = Math.min(grant.units, units);
    if (portion === 0) continue;
    const covered = grant.covered?.map((left) => Math.min(left, portion));
    grant.units -= portion;
    grant.covered = grant.covered?.map((left, i) => left - covered![i]!);
    units -= portion;
    spent.push({ units: portion, untilMs: grant.untilMs, covered });
  }
  return spent;
}

/** The leased units that a policy has room for. Expired ones are dropped before. */
export function coveredUnits({ grants }: Holding, policy: number): number {
  return grants.reduce((total, { units, covered }) => total + (covered?.[policy] ?? units), 0);
}

/** Whether a policy has room for all spent units. */
export function coversAll(spent: readonly Readonly<Grant>[], policy: number): boolean {
  return spent.every(({ units, covered }) => (covered?.[policy] ?? units) >= units);
}

/** Puts unused units back, with their old expiry. */
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
