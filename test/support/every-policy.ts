import { IMPLEMENTATIONS } from "../../src/algorithms/all.ts";
import type { Duration } from "../../src/options/duration.ts";
import { fromData } from "../../src/policy/from-data.ts";
import type { Policy } from "../../src/policy/policy.ts";

/** A policy of each algorithm that gives `limit` units per `window`; options with a default keep it. */
export function everyPolicy(limit: number, window: Duration): Policy[] {
  return Object.values(IMPLEMENTATIONS).map(({ name, options }) => {
    const required = Object.entries(options).filter(
      ([, option]) => !("default" in option && option.default !== undefined),
    );
    const values = required.map(([option, { kind }]) => [
      option,
      kind === "integer" ? limit : window,
    ]);
    return fromData({ algorithm: name, limit, ...Object.fromEntries(values) }) as Policy;
  });
}
