/**
 * A limiter with only the features that you import, for small bundles: `import { limiterWith } from "tidegate/core"`.
 *
 * @module
 */

export type { RequestFeatures } from "./adapter/every-feature.ts";
export type { Operations } from "./decide/limiter.ts";
export { calendar } from "./features/calendar/feature.ts";
export { dimensions } from "./features/dimensions/feature.ts";
export { holds } from "./features/holds/feature.ts";
export { leases } from "./features/leases/feature.ts";
export { lists } from "./features/lists/feature.ts";
export { notices } from "./features/notices/feature.ts";
export { optimistic } from "./features/optimistic/feature.ts";
export { plans } from "./features/plans/feature.ts";
export { replica } from "./features/replica/feature.ts";
export { roles } from "./features/roles/feature.ts";
export { sharedDenials } from "./features/shared-denials/feature.ts";
export { shards } from "./features/shards/feature.ts";
export { sources } from "./features/sources/feature.ts";
export { listeners } from "./features/listeners/feature.ts";
export * from "./limiter/exports.ts";
export type { Features } from "./limiter/features.ts";
export { limiterWith } from "./limiter/limiter-with.ts";
export type { LimiterOf } from "./limiter/limiter.ts";
export { clients } from "./store/redis/client-adapter.ts";
export { cluster } from "./store/cluster/cluster.ts";
