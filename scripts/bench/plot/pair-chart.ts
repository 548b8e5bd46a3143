import type { Figure } from "../figure.ts";
import { significant } from "../table.ts";
import { bar, chart, END, label, LABELS, valueAt } from "./chart.ts";

type PairFigure = Figure & { readonly peer: { name: string; value: number } };

/** Two numbers whose ratio would say nothing, as either may be 0. */
export function isPair(figure: Figure): figure is PairFigure {
  return figure.peer !== undefined && figure.ratio === undefined;
}

/** Tidegate's figure above its peer's, as bars; each unit has a scale of its own. */
export function pairChart(part: string, figures: readonly PairFigure[]): string {
  const most = (unit: string) =>
    Math.max(
      ...figures
        .filter((figure) => figure.unit === unit)
        .flatMap(({ tidegate, peer }) => [tidegate, peer.value]),
    );
  return chart({
    title: `${part}: Tidegate and its peer`,
    legend: "blue: Tidegate; grey: its peer",
    rows: figures.map(({ name, unit, tidegate, peer }) => (y) => {
      const scale = (END - LABELS) / (most(unit) || 1);
      const to = (value: number) => LABELS + Math.max(0, value) * scale;
      return [
        label(y, name, peer.name),
        bar("bar", LABELS, to(tidegate), y + 3, 7),
        bar("peer", LABELS, to(peer.value), y + 11, 7),
        valueAt(y, `${significant(tidegate)} / ${significant(peer.value)} ${unit}`.trim()),
      ].join("\n");
    }),
  });
}
