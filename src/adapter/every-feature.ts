import { holds } from "../features/holds/feature.ts";
import { lists } from "../features/lists/feature.ts";
import { plans } from "../features/plans/feature.ts";
import { sources } from "../features/sources/feature.ts";
import { EVERY_FEATURE } from "../limiter/every-feature.ts";

/** All features for the middleware and the gateway, which read requests and responses, too. */
export const EVERY_REQUEST_FEATURE = { ...EVERY_FEATURE, holds, lists, plans, sources };

/**
 * The features of a middleware, by their names. A bundle contains those that are given, and `dimensions`, which every
 * middleware has: partitions are dimensions of its limiter.
 */
export type RequestFeatures = Partial<typeof EVERY_REQUEST_FEATURE>;
