import type { Operation, Row } from "../store/store.ts";

/** One request as an algorithm sees it. Times in microseconds; `a` and `b` are the policy's two parameters. */
export interface Request {
  readonly now: number;
  readonly operation: Operation;
  readonly cost: number;
  readonly limit: number;
  readonly a: number;
  readonly b: number;
  /**
   * How many moments the state may tell apart, from 3. Beyond that, units count as taken a little later than they were,
   * never earlier. Default: all, as the script does.
   */
  readonly maxMoments?: number;
}

/** An algorithm's answer; `state` is what to keep: the state that came in, unless the request changed it. */
export interface Outcome<State> extends Row {
  readonly state: State | undefined;
}

/**
 * One algorithm: what was kept and a request in, a row and what to keep out. Whole numbers only. It is the reference
 * that the Lua file of the same name is checked against.
 */
export type AlgorithmModel<State> = (state: State | undefined, request: Request) => Outcome<State>;

/** Whether the operation takes the cost, given whether the policy has room for it. */
export function takes(operation: Operation, allowed: boolean): boolean {
  return operation === "charge" || (operation === "consume" && allowed);
}

/** The cost whose wait a row reports: after a charge it is that of one more unit. */
export function waitingCost({ operation, cost }: Request): number {
  return operation === "charge" ? 1 : cost;
}
