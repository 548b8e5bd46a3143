import { TidegateError } from "../errors.ts";

export interface CostOptions {
  /** Quota units of this request: a whole number from 0; 0 takes nothing. Default 1. */
  readonly cost?: number;
}

/** @throws TidegateError `ERR_COST` */
export function costOf(options: CostOptions | undefined): number {
  const cost = options?.cost === undefined ? 1 : options.cost;
  checkCost(cost);
  return cost;
}

/** @throws TidegateError `ERR_COST` */
export function checkCost(cost: number): void {
  if (!Number.isSafeInteger(cost) || cost < 0) {
    throw new TidegateError(
      "ERR_COST",
      `The cost must be a whole number of units from 0, not ${Object(cost) === cost ? "an object" : String(cost)}.`,
    );
  }
}
