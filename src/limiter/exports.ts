/*
 * The exports that `tidegate` and `tidegate/core` share: the algorithms, the memory store, the errors, and their types.
 */

export {
  ConfigurationError,
  type ErrorCode,
  type Fault,
  type FaultCode,
  StoreError,
  TidegateError,
} from "../errors/errors.ts";
export type { HeaderOptions } from "../decision/fields.ts";
export type { Identity } from "../decide/identify.ts";
export type { CreateLimiterOptions, LimiterOptions } from "./options.ts";
export type { PlanNumbers, Plans } from "../features/plans/plans.ts";
export {
  type SharedDenials,
  shareDenials,
  type SharedCache,
} from "../features/shared-denials/shared-denials.ts";
export type { ListEntry, ListOptions } from "../lists/options.ts";
export type { StoreOptions } from "../store/open-store.ts";
export type { Decision, PolicyDecision } from "../decision/decision.ts";
export type { Reason } from "../decision/outcome.ts";
export type { Cost, CostOptions } from "../decide/cost.ts";
export type { Extension, Hold, Settlement, StreamOptions } from "../decide/hold.ts";
export type { NoticedPolicy, NoticeListener } from "../features/notices/listener.ts";
export type { DecisionInfo, DecisionListener } from "../features/listeners/decision-listener.ts";
export type { Limiter, LimitOptions, ReserveOptions } from "../decide/limiter.ts";
export type { Duration } from "../options/duration.ts";
export type {
  CommonOptions,
  Counts,
  FailureVerdict,
  FailureWhen,
  Mode,
  OptimisticOptions,
} from "../algorithms/common-options.ts";
export type { CalendarOptions } from "../algorithms/calendar/options.ts";
export { concurrency, type ConcurrencyOptions } from "../algorithms/concurrency.ts";
export { fixedWindow, type FixedWindowOptions } from "../algorithms/fixed-window.ts";
export type { Operation, Row } from "../algorithms/model.ts";
export { segmentedWindow, type SegmentedWindowOptions } from "../algorithms/segmented-window.ts";
export { slidingWindowCounter } from "../algorithms/sliding-window-counter.ts";
export { slidingWindowLog } from "../algorithms/sliding-window-log.ts";
export { tokenBucket, type TokenBucketOptions } from "../algorithms/token-bucket.ts";
export type { WindowOptions } from "../algorithms/window.ts";
export { clientKey } from "../partition/client-key.ts";
export type { Algorithm, Policy } from "../policy/policy.ts";
export { memoryStore } from "../store/checked-memory-store.ts";
export type { MemoryStoreOptions } from "../store/memory-store.ts";
export type { RedisClient, RedisEndpoint } from "../store/redis/client.ts";
export type { Reply, Slot, Store } from "../store/store.ts";
