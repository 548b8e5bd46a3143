import { checkDuration, type Duration } from "../options/duration.ts";
import { Faults } from "../options/faults.ts";
import { FUNCTION, PACED_TARGETS, SHARE_OF_LIMIT } from "../options/messages.ts";
import { checkPositiveInteger } from "../options/positive-integer.ts";
import { isRecord } from "../options/record.ts";
import { checkedOptions, checkOptions } from "../options/unknown-options.ts";
import type { Policy } from "../policy/policy.ts";
import type { PacedTarget, PacingLimiter } from "./paced-target.ts";
import { QUOTA_KINDS } from "./provider-quota.ts";

/** The options of `createPacer()`. */
export interface PacerOptions<Target extends PacedTarget = PacedTarget> {
  /** Makes a limiter of these policies: `(policies) => createLimiter({ policies })`. */
  readonly limiter: (policies: readonly Policy[]) => PacingLimiter;
  /** The targets of requests, the best first: the next one is taken while those before it are used up. */
  readonly order: readonly Target[];
  /** The part of the provider's limits that is used. Range: above 0, up to 1. Default: `0.97`. */
  readonly share?: number;
  /** The part of each limit that requests in the background leave to others. Range: above 0, up to 1. Default: `0.2`. */
  readonly background?: number;
  /** How long a request waits for room at most. Range: from `"1ms"`. Default: `"1m"`. */
  readonly maxWait?: Duration;
}

const WAIT = { min: "1ms", max: "1d", example: "1m" } as const;
const MOST_UNITS = 1_000_000_000;

/** The options, if nothing is wrong with them. */
export function checkedPacer<Target extends PacedTarget>(
  value: PacerOptions<Target>,
): PacerOptions<Target> {
  const faults = new Faults();
  const names = ["limiter", "order", "share", "background", "maxWait"];
  const options = checkedOptions(value, names, faults);
  const { limiter, order, maxWait } = options;
  if (typeof limiter !== "function") {
    faults.add("limiter", limiter, FUNCTION, "takes policies and returns a limiter");
  }
  if (!Array.isArray(order) || order.length === 0 || !order.every(isTarget)) {
    faults.add("order", order, PACED_TARGETS);
  } else order.forEach((target, i) => checkLimits(target, `order[${i}].limits`, faults));
  for (const name of ["share", "background"] as const) {
    const part = options[name] ?? 1;
    if (!(part > 0 && part <= 1)) faults.add(name, part, SHARE_OF_LIMIT);
  }
  if (maxWait !== undefined) checkDuration(maxWait, WAIT, "maxWait", faults);
  faults.throwIfAny();
  return options;
}

function isTarget(target: PacedTarget): boolean {
  if (!isRecord(target) || !isRecord(target.limits)) return false;
  const isNamed = typeof target.name === "string" && target.name !== "";
  return isNamed && Object.keys(target.limits).length > 0;
}

function checkLimits({ limits }: PacedTarget, path: string, faults: Faults): void {
  checkOptions(limits, QUOTA_KINDS, `${path}.`, faults);
  for (const kind of QUOTA_KINDS) {
    const limit = limits[kind];
    if (limit !== undefined) checkPositiveInteger(limit, MOST_UNITS, `${path}.${kind}`, faults);
  }
}
