import fc from "fast-check";

import type { OptionKind } from "../../../src/algorithms/algorithm.ts";
import { IMPLEMENTATIONS } from "../../../src/algorithms/all.ts";
import type { CountingAlgorithm } from "../../../src/policy/policy.ts";

export const ALGORITHMS = Object.keys(IMPLEMENTATIONS) as CountingAlgorithm[];

/** How to draw a value of each kind of option. */
export interface Draws {
  readonly integer: (max: number) => fc.Arbitrary<number>;
  readonly duration: fc.Arbitrary<string>;
}

/** Draws the options of an algorithm besides `limit`, as it defines them. */
export function optionsOf(
  algorithm: CountingAlgorithm,
  { integer, duration }: Draws,
): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  const options = Object.entries(IMPLEMENTATIONS[algorithm].options);
  const drawnOf = (option: OptionKind): fc.Arbitrary<unknown> => {
    if (option.kind === "boolean") return fc.boolean();
    return option.kind === "integer" ? integer(option.max) : duration;
  };
  return fc.record(Object.fromEntries(options.map(([name, option]) => [name, drawnOf(option)])));
}
