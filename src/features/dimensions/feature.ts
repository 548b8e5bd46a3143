import { byTextOrDimensions } from "./by-dimensions.ts";
import { checkDimension, checkDimensions } from "./check.ts";

/** Policies with `by`: identities are objects, with a string for each dimension. */
export const dimensions = {
  checkPolicy: checkDimension,
  check: checkDimensions,
  identifyBy: byTextOrDimensions,
};
