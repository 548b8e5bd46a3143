import type { Identify } from "../../decide/identify.ts";
import type { CoreSettings, Kit } from "../../decide/kit.ts";
import { byTextOrDimensions } from "./by-dimensions.ts";
import { checkDimension, checkDimensions } from "./check.ts";

/** Policies with dimensions. Policies of requests have no option `by` to check. */
export interface Dimensions {
  readonly checkPolicy?: typeof checkDimension;
  readonly check?: typeof checkDimensions;
  readonly identifyBy: (kit: Kit<CoreSettings>) => Identify;
}

/** Policies with `by`: identities are objects, with a string for each dimension. */
export const dimensions: Dimensions = {
  checkPolicy: checkDimension,
  check: checkDimensions,
  identifyBy: byTextOrDimensions,
};
