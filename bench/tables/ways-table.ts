import { markdownTable } from "../../scripts/support/markdown-table.ts";
import * as names from "../benchmark/distance/names.ts";
import type { Results } from "../benchmark/results.ts";
import { significant } from "../support/numbers.ts";

/** Less than a hundredth of a millisecond is noise. */
export const inMilliseconds = (value: number): string =>
  `${significant(Number(value.toFixed(2)))} ms`;

interface Column {
  readonly end: string;
  readonly head: string;
  readonly show: (value: number) => string;
}

const COLUMNS: readonly Column[] = [
  { end: names.ADDED_P50, head: "added, p50", show: inMilliseconds },
  { end: names.ADDED_P99, head: "added, p99", show: inMilliseconds },
  { end: names.CALLS, head: "calls per decision", show: significant },
  { end: names.EXCESS, head: "excess", show: (value) => `${significant(value)} %` },
  { end: names.BURST, head: "most above a limit", show: significant },
  { end: names.BOUND, head: "its bound", show: significant },
  { end: names.WRONGLY_DENIED, head: "admissible denied", show: significant },
];

/** Tidegate's optimistic decisions and the other ways to decide, at the usual distance. */
export function waysIn({ parts }: Results): string {
  const figures = parts["distance"]?.figures ?? [];
  const of = (end: string) =>
    figures.filter(({ name }) => name === names.figureName(names.USUAL_MS, end));
  const others = of(names.ADDED_P50).map(({ peer }) => peer!.name);
  const cellOf = (way: string, { end, show }: Column) => {
    const found = of(end).find(({ peer }) => peer!.name === way);
    return found ? show(found.peer!.value) : "";
  };
  return markdownTable([
    ["way", ...COLUMNS.map(({ head }) => head)],
    ["optimistic", ...COLUMNS.map(({ end, show }) => show(of(end)[0]!.tidegate))],
    ...others.map((way) => [way].concat(COLUMNS.map((column) => cellOf(way, column)))),
  ]);
}
