import type { Reply, SpentUnits } from "../../store/store.ts";

/** Units of one lease, and their expiry. */
export interface Grant {
  units: number;
  readonly untilMs: number;
  /** For each policy, the number of the units that it has room for; absent if every policy has room for all. */
  covered?: readonly number[] | undefined;
  /** The accounts in the store that have these units, until they are reported as spent; absent if none has. */
  readonly epochs?: readonly number[] | undefined;
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
  /** Whether that answer left a policy without room. */
  short: boolean;
  /** The units left by the latest answer to any request; 0 before the first, so that the store begins. */
  left: number;
  /** No lease is requested before this moment. */
  pausedUntilMs: number;
  /** Spent units that the store does not know of. */
  spent: SpentUnits[];
}

const NO_ANSWER: Reply = { nowUs: 0, rows: [] };

export function createHolding(nowMs: number): Holding {
  return {
    grants: [],
    sinceMs: nowMs,
    requested: 0,
    requestedBefore: 0,
    answer: NO_ANSWER,
    sentAtMs: nowMs,
    short: false,
    left: 0,
    pausedUntilMs: nowMs,
    spent: [],
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

/** The units that may be spent now. Drops spent and expired grants. */
export function leasedUnits(holding: Holding, nowMs: number): number {
  holding.grants = holding.grants.filter(({ units, untilMs }) => units > 0 && untilMs > nowMs);
  return holding.grants.reduce((leased, { units }) => leased + units, 0);
}

/** Notes units that a request has taken for good. */
export function noteSpent({ spent }: Holding, grants: readonly Readonly<Grant>[]): void {
  for (const { units, epochs } of grants) {
    if (!epochs) continue;
    const at = spent.findIndex((each) => each.epochs.every((epoch, i) => epoch === epochs[i]));
    if (at < 0) spent.push({ units, epochs });
    else spent[at] = { units: spent[at]!.units + units, epochs };
  }
}

/** Takes the spent units for a report. If it is lost, they count as unspent until their period is over. */
export function takeSpent(holding: Holding): readonly SpentUnits[] {
  const { spent } = holding;
  holding.spent = [];
  return spent;
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
    spent.push({ units: portion, untilMs: grant.untilMs, covered, epochs: grant.epochs });
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
  for (const { units, untilMs, covered, epochs } of spent) {
    const later = grants.findIndex((grant) => grant.untilMs >= untilMs);
    const grant = grants[later];
    if (grant?.untilMs === untilMs) {
      grant.units += units;
      grant.covered = grant.covered?.map((left, i) => left + covered![i]!);
    } else grants.splice(later < 0 ? grants.length : later, 0, { units, untilMs, covered, epochs });
  }
}
