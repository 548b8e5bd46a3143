import { concurrency, type Duration, type Policy } from "../../../src/index.ts";
import type { CountingAlgorithm } from "../../../src/policy/policy.ts";
import { policyOf } from "../../support/every-policy.ts";

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
    const common = { name: `p${i}`, limit: Math.max(1, Math.round(limit * numbers.limit)) };
    const policy =
      algorithm === "concurrency"
        ? concurrency({ ...common, ttl: "2s" })
        : { ...policyOf(algorithm, common, window, parts), refundable: true };
    return { ...policy, ...(dimensions && { by: BY[i % 3]! }) } as Policy;
  });
}
