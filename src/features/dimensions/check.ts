import type { Faults } from "../../options/faults.ts";
import { DIMENSION, NO_DIMENSION } from "../../options/messages.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import type { Policy } from "../../policy/policy.ts";

/** A dimension of an identity. `*` stands for all clients. */
const DIMENSION_NAME = /^(?:\*|[A-Za-z][A-Za-z0-9_-]{0,31})$/;

/** Checks the `by` option of a policy. */
export function checkDimension({ by }: Policy, path: string, faults: Faults): void {
  if (by !== undefined && !(typeof by === "string" && DIMENSION_NAME.test(by))) {
    faults.add(`${path}.by`, by, DIMENSION);
  }
}

/** Checks that either every policy has a `by` or none does. */
export function checkDimensions(policies: readonly CompiledPolicy[], faults: Faults): void {
  const without = policies.findIndex(({ by }) => by === undefined);
  if (without >= 0 && policies.some(({ by }) => by !== undefined)) {
    faults.add(`policies[${without}].by`, undefined, NO_DIMENSION);
  }
}
