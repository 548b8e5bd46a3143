import { byDimensions } from "./by-dimensions.ts";

/** The dimensions of a middleware or a rule, which are its partitions. */
export const dimensionsOfRequests = { identifyBy: byDimensions };
