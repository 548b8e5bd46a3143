import fc from "fast-check";

import type { Operation } from "../../src/algorithms/model.ts";

/** The call of a random step, and its distance from a round moment: the cost is a share of the limit. */
export const question = {
  nudge: fc.constantFrom(-1, 0, 0, 0, 1),
  operation: fc.constantFrom<Operation>("consume", "consume", "consume", "peek", "charge"),
  cost: fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
    { weight: 1, arbitrary: fc.double({ min: 1, max: 3, noNaN: true }) },
  ),
};

/** A share of the limit in units, at least 1: only a charge may cost more than the limit. */
export function unitsOf(operation: Operation, share: number, limit: number): number {
  const units = Math.max(1, Math.round(share * limit));
  return operation === "charge" ? units : Math.min(units, limit);
}
