import { IMPLEMENTATIONS } from "../../src/algorithms/all.ts";
import type { Duration } from "../../src/options/duration.ts";
import { fromData } from "../../src/policy/from-data.ts";
import type { CountingAlgorithm, Policy } from "../../src/policy/policy.ts";

/** A policy of each algorithm that gives `limit` units per `window`; options with a default keep it. */
export function everyPolicy(limit: number, window: Duration): Policy[] {
  const names = Object.keys(IMPLEMENTATIONS) as CountingAlgorithm[];
  return names.map((name) => policyOf(name, { limit }, window));
}

/**
 * A policy of this algorithm: each of its times is `window`, and each of its whole numbers `parts`.
 *
 * @param parts Default: the option's own default, or else the limit
 */
export function policyOf(
  algorithm: CountingAlgorithm,
  common: { readonly limit: number; readonly name?: string },
  window: Duration,
  parts?: number,
): Policy {
  const { options } = IMPLEMENTATIONS[algorithm];
  const values = Object.entries(options).flatMap(
    ([name, option]): [string, Duration | number][] => {
      const hasDefault = "default" in option && option.default !== undefined;
      if (option.kind === "integer" && (parts !== undefined || !hasDefault)) {
        return [[name, parts ?? common.limit]];
      }
      return hasDefault ? [] : [[name, window]];
    },
  );
  return fromData({ algorithm, ...common, ...Object.fromEntries(values) }) as Policy;
}
