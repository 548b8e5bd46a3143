import { markdownTable } from "../../scripts/support/markdown-table.ts";
import type { Figure } from "../benchmark/figure.ts";
import * as names from "../benchmark/regions/names.ts";
import type { Results } from "../benchmark/results.ts";
import { significant } from "../support/numbers.ts";

interface Column {
  readonly end: string;
  readonly head: string;
  readonly show: (value: number) => string;
}

const trips = (value: number): string => significant(Number(value.toFixed(2)));
const percent = (value: number): string => `${significant(value)} %`;

/** The columns of every way. */
const SHARED: readonly Column[] = [
  { end: names.ADDED_P50, head: "added, p50", show: trips },
  { end: names.ADDED_P99, head: "p99", show: trips },
  { end: names.WAITED, head: "waited for home", show: percent },
  { end: names.HOME_CALLS, head: "home calls", show: significant },
  { end: names.COMMANDS, head: "commands", show: significant },
  { end: names.USABLE, head: "usable", show: percent },
  { end: names.EXCESS, head: "excess", show: significant },
];

/** The columns of a region. */
const COLUMNS: readonly Column[] = [
  ...SHARED.slice(0, 4),
  { end: names.REGION_CALLS, head: "regional calls", show: significant },
  ...SHARED.slice(4),
  { end: names.FAIRNESS, head: "fairness", show: significant },
];

/** The figures of a region, scene by scene. */
export function regionsIn(results: Results): string {
  const figures = figuresIn(results);
  const end = `: ${names.ADDED_P50}`;
  const scenes = figures.filter(({ name, detail }) => name.endsWith(end) && !detail);
  return markdownTable([
    ["traffic", ...COLUMNS.map(({ head }) => head)],
    ...scenes.map(({ name }) => {
      const scene = name.slice(0, -end.length);
      return [scene].concat(COLUMNS.map((column) => cell(figures, scene, column)));
    }),
  ]);
}

/** Beside the other ways, in the two scenes of the picture. */
export function regionWaysIn(results: Results): string {
  const figures = figuresIn(results);
  return markdownTable([
    ["traffic", "way", ...SHARED.map(({ head }) => head)],
    ...[names.USUAL, names.HARDEST].flatMap((scene) =>
      [undefined, ...names.OTHERS].map((way) =>
        [scene, way ?? names.REGION].concat(
          SHARED.map((column) => cell(figures, scene, column, way)),
        ),
      ),
    ),
  ]);
}

function figuresIn({ parts }: Results): readonly Figure[] {
  return parts["regions"]?.figures ?? [];
}

function cell(figures: readonly Figure[], scene: string, { end, show }: Column, way?: string) {
  const found = figures.find(
    ({ name, peer }) =>
      name === names.figureName(scene, end) && (way === undefined || peer?.name === way),
  );
  if (!found) throw new Error(`bench/results.json has no regions: ${scene}: ${end}`);
  return show(way === undefined ? found.tidegate : found.peer!.value);
}
