import { IMPLEMENTATION } from "../algorithms/algorithm.ts";
import type { Counts } from "../algorithms/common-options.ts";
import type { Faults } from "../options/faults.ts";
import {
  CHOICE,
  DIMENSION,
  MODE_OF_DENIALS,
  NO_REFUND_OF_FAILURES,
  REFUNDABLE,
  REFUND_OF_DENIALS,
} from "../options/messages.ts";
import type { Policy } from "./policy.ts";

export const COUNTS = ["requests", "denials", "failures"] as const satisfies Counts[];

/** A dimension of an identity. `*` stands for everybody. */
const DIMENSION_NAME = /^(?:\*|[A-Za-z][A-Za-z0-9_-]{0,31})$/;

/** Checks the options of a policy that make sense beside others: what it counts, and by which dimension. */
export function checkLimiterTraits(policy: Policy, path: string, faults: Faults): void {
  const { by, mode, counts, refundable } = policy;
  policy[IMPLEMENTATION]?.refuse?.(policy, path, faults);
  if (by !== undefined && !(typeof by === "string" && DIMENSION_NAME.test(by))) {
    faults.add(`${path}.by`, by, DIMENSION);
  }
  if (counts !== undefined && !COUNTS.includes(counts)) {
    faults.add(`${path}.counts`, counts, CHOICE, COUNTS);
  } else if (counts === "denials" && mode !== undefined && mode !== "enforce") {
    faults.add(`${path}.counts`, counts, MODE_OF_DENIALS);
  }
  if (refundable === undefined) return;
  const at = `${path}.refundable`;
  if (typeof refundable !== "boolean") {
    faults.add(at, refundable, REFUNDABLE);
  } else if (refundable && counts === "denials") {
    faults.add(at, refundable, REFUND_OF_DENIALS);
  } else if (!refundable && counts === "failures") {
    faults.add(at, refundable, NO_REFUND_OF_FAILURES);
  }
}
