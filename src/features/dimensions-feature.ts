import type { Identify } from "../decide/identify.ts";
import type { CoreSettings, LimiterContext } from "../decide/limiter-context.ts";
import type { Faults } from "../options/faults.ts";
import { DIMENSION, NO_DIMENSION } from "../options/messages.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { Policy } from "../policy/policy.ts";
import { byDimensions, byTextOrDimensions } from "./by-dimensions.ts";

/** Policies with dimensions. Policies of requests have no option `by` to check. */
export interface Dimensions {
  readonly checkPolicy?: typeof checkDimension;
  readonly check?: typeof checkDimensions;
  readonly identifyBy: (context: LimiterContext<CoreSettings>) => Identify;
}

/** Policies with `by`: identities are objects, with a string for each dimension. */
export const dimensions: Dimensions = {
  checkPolicy: checkDimension,
  check: checkDimensions,
  identifyBy: byTextOrDimensions,
};

/** The dimensions of a middleware or a rule, which are its partitions. */
export const dimensionsOfRequests = { identifyBy: byDimensions };

/** A dimension of an identity. `*` stands for all clients. */
const DIMENSION_NAME = /^(?:\*|[A-Za-z][A-Za-z0-9_-]{0,31})$/;

/** Checks the `by` option of a policy. */
function checkDimension({ by }: Policy, path: string, faults: Faults): void {
  if (by !== undefined && !(typeof by === "string" && DIMENSION_NAME.test(by))) {
    faults.add(`${path}.by`, by, DIMENSION);
  }
}

/** Checks that either every policy has a `by` or none does. */
function checkDimensions(policies: readonly CompiledPolicy[], faults: Faults): void {
  const without = policies.findIndex(({ by }) => by === undefined);
  if (without >= 0 && policies.some(({ by }) => by !== undefined)) {
    faults.add(`policies[${without}].by`, undefined, NO_DIMENSION);
  }
}
