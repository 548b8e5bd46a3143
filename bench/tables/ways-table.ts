import { markdownTable } from "../../scripts/support/markdown-table.ts";
import {
  ADDED_P50,
  ADDED_P99,
  BOUND,
  BURST,
  CALLS,
  EXCESS,
  figureName,
  USUAL_MS,
  WRONGLY_DENIED,
} from "../benchmark/distance/names.ts";
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
  { end: ADDED_P50, head: "added, p50", show: inMilliseconds },
  { end: ADDED_P99, head: "added, p99", show: inMilliseconds },
  { end: CALLS, head: "calls per decision", show: significant },
  { end: EXCESS, head: "excess", show: (value) => `${significant(value)} %` },
  { end: BURST, head: "most above a limit", show: significant },
  { end: BOUND, head: "its bound", show: significant },
  { end: WRONGLY_DENIED, head: "admissible denied", show: significant },
];

/** Tidegate's optimistic decisions and the other ways to decide, at the usual distance. */
export function waysIn({ parts }: Results): string {
  const figures = parts["distance"]?.figures ?? [];
  const of = (end: string) => figures.filter(({ name }) => name === figureName(USUAL_MS, end));
  const others = of(ADDED_P50).map(({ peer }) => peer!.name);
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
