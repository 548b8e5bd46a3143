import type { IMPLEMENTATION } from "../../../src/algorithms/algorithm.ts";
import type { Holding } from "../../../src/algorithms/common-options.ts";
import * as built from "../../../src/index.ts";

/** The options of a policy as data, with the words that rules have. */
type DataOf<Of> = Of extends unknown ? Omit<Of, "algorithm" | typeof IMPLEMENTATION> : never;

type Named<Name extends built.Policy["algorithm"]> = Extract<
  built.Policy,
  { readonly algorithm: Name }
>;

export type ConcurrencyOptions = DataOf<Named<"concurrency">>;
export type FixedWindowOptions = DataOf<Named<"fixed-window">>;
export type SegmentedWindowOptions = DataOf<Named<"segmented-window">>;
export type TokenBucketOptions = DataOf<Named<"token-bucket">>;
export type WindowOptions = DataOf<Named<"sliding-window-log">>;

/** A builder whose options are data, of a limiter with every feature. */
type PlainBuilder<Name extends built.Policy["algorithm"]> = (
  options: DataOf<Named<Name>>,
) => Named<Name> & Holding;

export const concurrency = built.concurrency as unknown as PlainBuilder<"concurrency">;
export const fixedWindow = built.fixedWindow as unknown as PlainBuilder<"fixed-window">;
export const segmentedWindow = built.segmentedWindow as unknown as PlainBuilder<"segmented-window">;
export const slidingWindowCounter =
  built.slidingWindowCounter as unknown as PlainBuilder<"sliding-window-counter">;
export const slidingWindowLog =
  built.slidingWindowLog as unknown as PlainBuilder<"sliding-window-log">;
export const tokenBucket = built.tokenBucket as unknown as PlainBuilder<"token-bucket">;
