import type { Counts } from "../algorithms/algorithm.ts";
import type { Faults } from "../options/faults.ts";
import type { Policy } from "./policy.ts";

export const COUNTS = ["requests", "denials"] as const satisfies Counts[];
export const COUNTS_REMEDY = 'Use "requests" or "denials".';

/** A dimension of an identity. `*` stands for everybody. */
const DIMENSION = /^(?:\*|[A-Za-z][A-Za-z0-9_-]{0,31})$/;

/** Checks the options of a policy that make sense beside others: what it counts, and by which dimension. */
export function checkLimiterTraits(
  { by, mode, counts }: Policy,
  path: string,
  faults: Faults,
): void {
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
}
