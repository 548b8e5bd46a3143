import type { ReservingLimiter } from "../../../src/decide/hold.ts";
import { EVERY_FEATURE } from "../../../src/features/every-feature.ts";
import type { LimiterOptions, NoticeListener } from "../../../src/index.ts";
import { limiterOf } from "../../../src/limiter/create-limiter.ts";
import { Faults } from "../../../src/options/faults.ts";
import { isRecord } from "../../../src/options/record.ts";

export * from "../../../src/index.ts";

export {
  concurrency,
  type ConcurrencyOptions,
  fixedWindow,
  type FixedWindowOptions,
  segmentedWindow,
  type SegmentedWindowOptions,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
  type TokenBucketOptions,
  type WindowOptions,
} from "./plain-policies.ts";

/** The options of a limiter as data. */
export interface CreateLimiterOptions extends LimiterOptions {
  /** Told of the notices of all policies. */
  readonly onNotice?: NoticeListener;
}

/** A limiter whose options are data, with every feature, as the rules of a gateway have them. */
export function createLimiter(options: CreateLimiterOptions): ReservingLimiter {
  return limiterOf(withListeners(options), EVERY_FEATURE, new Faults());
}

/** The options with `onNotice` in each policy that has `notify`, where `notify()` puts it. */
function withListeners(options: CreateLimiterOptions): LimiterOptions {
  if (!isRecord(options) || !Array.isArray(options["policies"])) return options;
  const { onNotice, ...others } = options;
  const policies = Array.from(others.policies, (policy) =>
    onNotice !== undefined && policy?.notify !== undefined ? { ...policy, onNotice } : policy,
  );
  return { ...others, policies };
}
