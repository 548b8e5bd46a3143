export { limit } from "./limit.ts";
export { createLimiter } from "./limiter/create-limiter.ts";
export { month, week, day, hour, type CalendarPlace } from "./features/calendar-feature.ts";
export { refundable } from "./features/holds/holds-feature.ts";
export { lease } from "./features/leases/leases-feature.ts";
export { lists } from "./features/lists/lists-feature.ts";
export { notify } from "./features/notices-feature.ts";
export { optimistic } from "./features/optimistic-feature.ts";
export { plans } from "./features/plans-feature.ts";
export { denials } from "./features/roles/roles-feature.ts";
export { failures } from "./limiter/failures-option.ts";
export { region } from "./features/regions-feature.ts";
export type { RegionOptions } from "./features/region-options.ts";
export { shadow, soft } from "./features/roles/roles-feature.ts";
export { shards } from "./features/shards-feature.ts";
export { asn, cookie, country, header, query, subnet } from "./features/sources-feature.ts";
export { cluster } from "./features/cluster-feature.ts";
export { client } from "./store/redis/client-option.ts";
export {
  ConfigurationError,
  type ErrorCode,
  type Fault,
  type FaultCode,
  StoreError,
  TidegateError,
} from "./options/errors.ts";
export type { HeaderOptions } from "./decide/header-fields.ts";
export type { CreateLimiterOptions, LimiterOptions } from "./limiter/options.ts";
export type { PlanNumbers, Plans } from "./features/plans.ts";
export { shareDenials } from "./features/shared-denials-feature.ts";
export type { SharedCache, SharedDenials } from "./features/shared-denials.ts";
export type { ListEntry, ListOptions } from "./features/lists/list-options.ts";
export type { StoreOptions } from "./store/open-store.ts";
export type { Decision, PolicyDecision } from "./decide/decision.ts";
export type { Reason } from "./decide/outcome.ts";
export type {
  Extension,
  Hold,
  ReserveOptions,
  ReservingLimiter,
  Settlement,
  StreamOptions,
} from "./decide/hold.ts";
export type { NoticedPolicy, NoticeListener } from "./features/notice-marks.ts";
export type { DecisionInfo, DecisionListener } from "./features/decision-listener.ts";
export type { CallTypesOf, PlansNamed } from "./decide/call-types.ts";
export type {
  CallTypes,
  Cost,
  CostOptions,
  Identity,
  Limiter,
  LimitOptions,
} from "./decide/limiter-types.ts";
export type { Duration } from "./options/duration.ts";
export type {
  CommonOptions,
  Counts,
  FailureVerdict,
  FailureWhen,
  OptimisticOptions,
} from "./algorithms/common-options.ts";
export type { CalendarOptions } from "./algorithms/calendar-options.ts";
export type { ConcurrencyOptions } from "./algorithms/concurrency.ts";
export { concurrency } from "./features/holds/concurrency-option.ts";
export { fixedWindow, type FixedWindowOptions } from "./algorithms/fixed-window.ts";
export type { Operation, Row } from "./algorithms/model.ts";
export { segmentedWindow, type SegmentedWindowOptions } from "./algorithms/segmented-window.ts";
export { slidingWindowCounter } from "./algorithms/sliding-window-counter.ts";
export { slidingWindowLog } from "./algorithms/sliding-window-log.ts";
export { tokenBucket, type TokenBucketOptions } from "./algorithms/token-bucket.ts";
export type { WindowOptions } from "./algorithms/window.ts";
export { clientKey } from "./partition/client-key.ts";
export type { Algorithm, Policy } from "./policy/policy.ts";
export type {
  Denials,
  Failures,
  Holding,
  Labelled,
  Literal,
  PolicyOptions,
} from "./algorithms/common-options.ts";
export type { MadeBy } from "./options/option-value.ts";
export type { LimiterOf } from "./decide/hold.ts";
export { memoryStore } from "./store/memory-store.ts";
export type { MemoryStoreOptions } from "./store/memory-store.ts";
export type { RedisClient, RedisEndpoint } from "./store/redis/client.ts";
export type { Reply, Slot, Store } from "./store/store.ts";
