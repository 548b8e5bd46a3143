import { IMPLEMENTATION } from "../algorithms/algorithm.ts";
import type { Faults } from "../options/faults.ts";
import { DIMENSION } from "../options/messages.ts";
import type { Policy } from "./policy.ts";

/** A dimension of an identity. `*` stands for all clients. */
const DIMENSION_NAME = /^(?:\*|[A-Za-z][A-Za-z0-9_-]{0,31})$/;

/**
 * Checks the options of a policy that make sense beside others: its dimension, and the options that its algorithm
 * refuses.
 */
export function checkLimiterTraits(policy: Policy, path: string, faults: Faults): void {
  const { by } = policy;
  policy[IMPLEMENTATION]?.refuse?.(policy, path, faults);
  if (by !== undefined && !(typeof by === "string" && DIMENSION_NAME.test(by))) {
    faults.add(`${path}.by`, by, DIMENSION);
  }
}
