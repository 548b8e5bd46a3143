/** How a decision takes its cost. */
export type Operation =
  /** Take the cost if every policy allows it. */
  | "consume"
  /** Report what `consume` would do; take nothing. */
  | "peek"
  /** Take the cost, whatever is left. */
  | "charge"
  /** Take as many units as every policy has room for, up to the cost, if that is at least one. */
  | "lease";

/**
 * The task of an algorithm. `ask` is a `peek` as part of a `consume` or a lease: it takes nothing, and its client obeys the
 * answer.
 */
export type Pass = Exclude<Operation, "lease"> | "ask";

/** The slot that a hold takes of each concurrency policy. */
export interface Slot {
  /** Names the hold's slots; no other hold ever has the same. */
  readonly id: string;
  /** How long the slots are kept from now, in microseconds, unless they are extended; each at most its policy's `ttl`. */
  readonly ttlUs: number;
}

/** The answer of one policy. */
export interface Row {
  /** Whether this policy alone has room for the cost (for a lease: for one unit). */
  readonly allowed: boolean;
  /** Units left afterwards. */
  readonly remaining: number;
  /** Microseconds until the same cost (after a charge or a lease: one unit) has room; 0 if it has room now. */
  readonly retryAfterUs: number;
  /** Microseconds until the whole limit is available again. */
  readonly resetAfterUs: number;
  /** Set if `resetAfterUs` is only a guess, which no client is told: the store has not answered yet. */
  readonly isResetGuessed?: boolean;
}

/** One request as an algorithm sees it. */
export interface ModelRequest<Parameters> {
  /** The store's clock, in microseconds since 1970. */
  readonly nowUs: number;
  readonly operation: Pass | Operation;
  readonly cost: number;
  readonly limit: number;
  readonly parameters: Parameters;
  /** The slot to take, where the request is a hold. */
  readonly slot?: Slot | undefined;
  /**
   * How many moments the state may distinguish, at least 3. Beyond that, units count as taken slightly later than they
   * were, never earlier. Default: all, as in the script.
   */
  readonly maxMoments?: number;
}

/** The algorithm's answer; `state` is the state to keep: the same object unless the request changed it. */
export interface Evaluation<State> extends Row {
  readonly state: State | undefined;
}

/**
 * The reference for one algorithm: the stored state and a request in, a row and the new state out, in whole numbers.
 * The Lua file of the same name is tested against it, and the memory store counts with it.
 */
export type AlgorithmModel<Parameters, State> = (
  state: State | undefined,
  request: ModelRequest<Parameters>,
) => Evaluation<State>;

/** A model whose parameters and state only the model itself looks into. */
export type AnyModel = AlgorithmModel<Readonly<Record<string, number>>, unknown>;

/** One refund as an algorithm sees it. */
export interface RefundRequest<Parameters = Readonly<Record<string, number>>> {
  /** The store's clock, in microseconds since 1970. */
  readonly nowUs: number;
  /** When the units were taken, by the same clock: not later than now. */
  readonly takenAtUs: number;
  /** Whole units from 0. */
  readonly cost: number;
  readonly limit: number;
  readonly parameters: Parameters;
}

/** How much came back, and the state to keep: the same object unless units came back. */
export interface Refund<State> {
  /** Units; with a parameter `intervalUs` the parts of a unit of which that many make one, as `lua/refund.lua` replies. */
  readonly refunded: number;
  readonly state: State;
}

/**
 * The reference for the refund of one algorithm, over the states of its model. The Lua file of the algorithm is tested
 * against it, and the memory store gives back with it.
 */
export type RefundModel<Parameters, State> = (
  state: State,
  request: RefundRequest<Parameters>,
) => Refund<State>;

/** The whole units that a refund gave. With a parameter `intervalUs` it gave parts of a unit: that many make one. */
export function wholeUnits(
  refunded: number,
  { intervalUs = 1 }: Readonly<Record<string, number>>,
): number {
  return Math.floor(refunded / intervalUs);
}

/** Whether the operation takes the cost, given whether the policy has room for it. */
export function takes(operation: Pass | Operation, allowed: boolean): boolean {
  return operation === "charge" || (operation === "consume" && allowed);
}

/** The cost whose wait a row reports: one unit after a charge, else the request's own. */
export function waitingCost({ operation, cost }: ModelRequest<unknown>): number {
  return operation === "charge" ? 1 : cost;
}
