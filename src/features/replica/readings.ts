import type { Row } from "../../algorithms/model.ts";
import type { StoreCall } from "../../decide/ask-store.ts";
import type { AskedGroup } from "../../decide/step.ts";

/** The rows that the replica gave for a group, by the latest time of the primary's clock when it was asked. */
export interface Reading {
  readonly asked: AskedGroup;
  readonly rows: readonly Row[];
}

/** The policies that may deny, with the units that a request needs of each. */
export function flattenDenying(
  groups: readonly AskedGroup[],
  keysOf: (asked: AskedGroup) => readonly string[],
): StoreCall {
  return {
    policies: groups.flatMap(({ group }) => group.denying),
    keys: groups.flatMap((asked) => keysOf(asked).slice(0, asked.group.denying.length)),
    costs: groups.flatMap(({ group, costs }) =>
      // A policy that counts denials denies while it has no room for one more.
      group.denying.map(({ role }, i) => (role === "denials" ? 1 : costs[i]!)),
    ),
  };
}

/** Splits the rows that the replica gave for these policies into those of each group. */
export function splitDenying(
  groups: readonly AskedGroup[],
  rows: readonly Row[],
): readonly Reading[] {
  let start = 0;
  return groups.map((asked) => ({
    asked,
    rows: rows.slice(start, (start += asked.group.denying.length)),
  }));
}

/** The longest wait of a group's policies, in microseconds. */
export function waitUs(rows: readonly Row[]): number {
  return Math.max(...rows.map(({ retryAfterUs }) => retryAfterUs));
}
