import {
  concurrency,
  type Duration,
  fixedWindow,
  type Policy,
  segmentedWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from "../../../../src/index.ts";
import type { CountingAlgorithm } from "../../../../src/policy/policy.ts";

/** How a story's policies look with a limit and a window of the moment, as shares of those they begin with. */
export type Numbers = { readonly limit: number; readonly window: number };

/** A policy of the story, by its numbers. */
export interface DrawnPolicy {
  readonly algorithm: CountingAlgorithm | "concurrency";
  readonly limit: number;
  readonly windowMs: number;
  /** Units that a bucket refills in a window; segments of a window. */
  readonly parts: number;
}

const BUILDERS: Record<
  DrawnPolicy["algorithm"],
  (common: { name: string; limit: number }, window: Duration, parts: number) => Policy
> = {
  "token-bucket": (common, per, refill) => tokenBucket({ ...common, per, refill }),
  "fixed-window": (common, window) => fixedWindow({ ...common, window }),
  "sliding-window-counter": (common, window) => slidingWindowCounter({ ...common, window }),
  "sliding-window-log": (common, window) => slidingWindowLog({ ...common, window }),
  "segmented-window": (common, window, segments) =>
    segmentedWindow({ ...common, window, segments }),
  concurrency: (common) => concurrency({ ...common, ttl: "2s" }),
};

/** Dimensions of the identity, if policies count by several. */
const BY = ["ip", "key", "*"];

export function policiesOf(
  {
    policies,
    dimensions,
  }: { readonly policies: readonly DrawnPolicy[]; readonly dimensions: boolean },
  numbers: Numbers,
): Policy[] {
  return policies.map(({ algorithm, limit, windowMs, parts }, i) => {
    const window = `${Math.round(windowMs * numbers.window)}ms` as Duration;
    const common = { name: `p${i}`, limit: Math.max(1, Math.round(limit * numbers.limit)) };
    const policy = BUILDERS[algorithm](common, window, parts);
    const traits = algorithm === "concurrency" ? {} : { refundable: true };
    return { ...policy, ...traits, ...(dimensions && { by: BY[i % 3]! }) } as Policy;
  });
}
