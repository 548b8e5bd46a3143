import { type Figure, meets, type Spread } from "../figure.ts";
import { significant } from "../table.ts";
import { bar, chart, END, label, LABELS, line, valueAt } from "./chart.ts";

type RatioFigure = Figure & { readonly peer: { name: string }; readonly ratio: Spread };

export function isRatio(figure: Figure): figure is RatioFigure {
  return figure.peer !== undefined && figure.ratio !== undefined;
}

/** Beyond it, a bar says no more than that it is long. */
const MOST = 3;

/** Tidegate's figure through its peer's: the median as a bar, the spread as a whisker, the target as a tick. */
export function ratioChart(part: string, figures: readonly RatioFigure[]): string {
  const most = Math.min(MOST, Math.max(1.2, ...figures.map(({ ratio }) => ratio.max)));
  const x = (ratio: number) => LABELS + (Math.min(ratio, most) / most) * (END - LABELS);
  return chart({
    title: `${part}: Tidegate through its peer`,
    legend: "whisker: smallest and largest pair; green: target; orange: target missed; line: equal",
    axis: (top, bottom) => line("axis", [x(1), top - 4], [x(1), bottom]),
    rows: figures.map((figure) => (y) => {
      const { name, peer, ratio, target } = figure;
      const aimed = target?.of === "ratio" ? target.value : undefined;
      const missed = aimed !== undefined && meets(figure) === false;
      return [
        label(y, name, peer.name),
        bar(missed ? "bar short" : "bar", LABELS, x(ratio.median), y + 3, 14),
        line("spread", [x(ratio.min), y + 10], [x(ratio.max), y + 10]),
        ...(aimed === undefined ? [] : [line("target", [x(aimed), y], [x(aimed), y + 20])]),
        valueAt(y, significant(ratio.median)),
      ].join("\n");
    }),
  });
}
