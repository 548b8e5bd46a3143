import { concurrency, type Duration, type Policy } from "../../../src/index.ts";
import type { CountingAlgorithm } from "../../../src/policy/policy.ts";
import { factsOf } from "../../support/algorithms/all.ts";

/** How a story's policies look with a limit and a window of the moment, as shares of those they begin with. */
export type Numbers = { readonly limit: number; readonly window: number };

/** A policy of the story, by its numbers. */
export interface DrawnPolicy {
  readonly algorithm: CountingAlgorithm | "concurrency";
  readonly limit: number;
  readonly windowMs: number;
  /** The algorithm's own whole number: units that a bucket refills in a window, or segments of a window. */
  readonly parts: number;
}

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
    const size = Math.max(1, Math.round(limit * numbers.limit));
    const policy =
      algorithm === "concurrency"
        ? concurrency({ limit: size, ttl: "2s" })
        : { ...ofParts(factsOf(algorithm).of(size, window, parts), parts), refundable: true };
    return { ...policy, name: `p${i}`, ...(dimensions && { by: BY[i % 3]! }) } as Policy;
  });
}

/** A bucket that refills these units in its window. */
function ofParts(policy: Policy, parts: number): Policy {
  return policy.algorithm === "token-bucket" ? { ...policy, refill: parts } : policy;
}
