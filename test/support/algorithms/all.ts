import type { CountingAlgorithm } from "../../../src/policy/policy.ts";
import type { AlgorithmFacts } from "./facts.ts";
import { fixedWindowFacts } from "./fixed-window.ts";
import { segmentedWindowFacts } from "./segmented-window.ts";
import { slidingWindowCounterFacts } from "./sliding-window-counter.ts";
import { slidingWindowLogFacts } from "./sliding-window-log.ts";
import { tokenBucketFacts } from "./token-bucket.ts";

/** A line for each algorithm that counts. */
export const FACTS: Readonly<Record<CountingAlgorithm, AlgorithmFacts>> = {
  "token-bucket": tokenBucketFacts,
  "sliding-window-log": slidingWindowLogFacts,
  "sliding-window-counter": slidingWindowCounterFacts,
  "segmented-window": segmentedWindowFacts,
  "fixed-window": fixedWindowFacts,
};

export const EVERY_ALGORITHM = Object.values(FACTS);

/** Those whose promise is about windows. */
export const WINDOWS = EVERY_ALGORITHM.flatMap(({ most, ...facts }) =>
  most ? [{ ...facts, most, times: Math.ceil(most(1_000) / 1_000) }] : [],
);

/** @throws Error for concurrency, which counts no units */
export function factsOf(algorithm: string): AlgorithmFacts {
  const facts = FACTS[algorithm as CountingAlgorithm];
  if (facts === undefined) throw new Error(`${algorithm} counts no units`);
  return facts;
}
