import { IMPLEMENTATION } from "../algorithms/algorithm.ts";
import type { Counts } from "../algorithms/common-options.ts";
import type { Faults } from "../options/faults.ts";
import type { Policy } from "./policy.ts";

export const COUNTS = ["requests", "denials", "failures"] as const satisfies Counts[];
export const COUNTS_REMEDY = 'Use "requests", "denials" or "failures".';

/** A dimension of an identity. `*` stands for everybody. */
const DIMENSION = /^(?:\*|[A-Za-z][A-Za-z0-9_-]{0,31})$/;

/** Checks the options of a policy that make sense beside others: what it counts, and by which dimension. */
export function checkLimiterTraits(policy: Policy, path: string, faults: Faults): void {
  const { by, mode, counts, refundable } = policy;
  policy[IMPLEMENTATION]?.refuse?.(policy, path, faults);
  if (by !== undefined && !(typeof by === "string" && DIMENSION.test(by))) {
    faults.add(
      `${path}.by`,
      by,
      'Use "*" for everybody, or 1 to 32 ASCII letters, digits, underscores or dashes, the first a letter.',
    );
  }
  if (counts !== undefined && !COUNTS.includes(counts)) {
    faults.add(`${path}.counts`, counts, COUNTS_REMEDY);
  } else if (counts === "denials" && mode !== undefined && mode !== "enforce") {
    faults.add(
      `${path}.counts`,
      counts,
      "Leave out the mode: what counts denials is either enforced or left out.",
    );
  }
  if (refundable === undefined) return;
  const at = `${path}.refundable`;
  if (typeof refundable !== "boolean") {
    faults.add(at, refundable, "Give true if holds of this policy give back, else false.");
  } else if (refundable && counts === "denials") {
    faults.add(
      at,
      refundable,
      "Leave it out: nothing is reserved of a policy that counts denials.",
    );
  } else if (!refundable && counts === "failures") {
    faults.add(at, refundable, "Leave it out: what counts failures gives back all other requests.");
  }
}
