import { TidegateError } from "../errors/errors.ts";

export interface CostOptions {
  /** Quota units of this request: a whole number from 0, which takes nothing. Default 1. */
  readonly cost?: number;
}

/** @throws TidegateError `ERR_COST`, also for an unknown option: a misspelt cost would silently be 1 */
export function costOf(options: CostOptions | undefined): number {
  if (!options) return 1;
  for (const key in options) {
    if (key !== "cost" && options[key as "cost"] !== undefined) refuse("option is `cost`", key);
  }
  if (typeof options !== "object") refuse("options must be an object, { cost }", options);
  const { cost = 1 } = options;
  checkCost(cost);
  return cost;
}

/** @throws TidegateError `ERR_COST` */
export function checkCost(cost: number): void {
  if (!Number.isSafeInteger(cost) || cost < 0) {
    refuse("cost must be a whole number of units from 0", cost);
  }
}

function refuse(rule: string, given: unknown): never {
  const shown = Object(given) === given ? "an object" : String(given);
  throw new TidegateError("ERR_COST", `The ${rule}, not ${shown}.`);
}
