import { useEffect, useRef } from "hono/jsx/dom";
import UPlot from "uplot";

import { day, timeOfDay } from "./format.ts";
import type { Series } from "./series.ts";

export interface ChartProps {
  /** What a screen reader says instead of the picture. */
  readonly label: string;
  /** When each value was counted, in milliseconds since 1970. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** Layers on top of each other, as counts are; or lines. */
  readonly kind: "layers" | "lines";
  readonly format: (value: number) => string;
  /** Told which moment the pointer is at; `undefined` for none. */
  readonly onPoint?: (index: number | undefined) => void;
}

const HEIGHT = 190;

export function Chart({ label, times, series, kind, format, onPoint }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const drawn = series.map((each) => `${each.label} ${each.colour}`).join("\n");

  useEffect(() => {
    const element = place.current;
    // The view was left before it was drawn.
    if (!element) return undefined;
    const draw = () => {
      plot.current?.destroy();
      plot.current = new UPlot(
        { ...optionsOf(series, kind, format, onPoint), width: element.clientWidth, height: HEIGHT },
        dataOf(times, series, kind),
        element,
      );
    };
    draw();
    const observer = new ResizeObserver(() => {
      plot.current?.setSize({ width: element.clientWidth, height: HEIGHT });
    });
    observer.observe(element);
    addEventListener("themechange", draw);
    return () => {
      observer.disconnect();
      removeEventListener("themechange", draw);
      plot.current?.destroy();
      plot.current = null;
    };
  }, [drawn, kind]);

  useEffect(() => {
    plot.current?.setData(dataOf(times, series, kind));
  }, [times, series]);

  return <div class="chart" role="img" aria-label={label} ref={place} />;
}

/** Layers are drawn from the highest sum down, each over the one before. */
function dataOf(
  times: readonly number[],
  series: readonly Series[],
  kind: ChartProps["kind"],
): UPlot.AlignedData {
  const seconds = times.map((ms) => ms / 1000);
  if (kind === "lines") return [seconds, ...series.map(({ values }) => [...values])];
  const sums = series.map((_, layer) =>
    times.map((_, i) =>
      series.slice(0, layer + 1).reduce((total, { values }) => total + (values[i] ?? 0), 0),
    ),
  );
  return [seconds, ...sums.toReversed()];
}

function optionsOf(
  series: readonly Series[],
  kind: ChartProps["kind"],
  format: (value: number) => string,
  onPoint: ChartProps["onPoint"],
): Omit<UPlot.Options, "width" | "height"> {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour("--muted"),
    font: "12px system-ui, sans-serif",
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
  };
  const ordered = kind === "layers" ? series.toReversed() : series;
  return {
    legend: { show: false },
    padding: [8, 24, 0, 0],
    cursor: { y: false, drag: { setScale: false, x: false, y: false }, points: { show: false } },
    scales: {
      x: { range: kind === "layers" ? spanOf : pointsOf },
      y: { range: (_plot, _min, max) => [0, Math.max(max * 1.08, 1)] },
    },
    axes: [
      { ...axis, grid: { show: false }, size: 26, space: 64, values: momentsOf },
      { ...axis, size: 58, space: 36, values: (_plot, splits) => splits.map(format) },
    ],
    series: [
      {},
      ...ordered.map(({ colour: name }): UPlot.Series =>
        kind === "layers"
          ? {
              fill: colour(name),
              width: 0,
              paths: UPlot.paths.bars!({ size: [0.86, 40], align: 1 }),
              points: { show: false },
            }
          : { stroke: colour(name), width: 2, spanGaps: false, points: { size: 4 } },
      ),
    ],
    hooks: {
      setCursor: [
        (plot) => onPoint?.(kind === "layers" ? layerAt(plot) : (plot.cursor.idx ?? undefined)),
      ],
    },
  };
}

/** A bar reaches from its moment to the next one: in its right half the nearest moment is the next bar's. */
function layerAt(plot: UPlot): number | undefined {
  const { left = -1 } = plot.cursor;
  if (left < 0) return undefined;
  const at = plot.posToVal(left, "x");
  const index = plot.data[0].findLastIndex((seconds) => seconds <= at);
  return index === -1 ? undefined : index;
}

function pointsOf(_plot: UPlot, first: number, last: number): [number, number] {
  return [first, last];
}

/** A layer begins at its moment, so that the last one ends a step later. */
function spanOf({ data: [times] }: UPlot, first: number, last: number): [number, number] {
  return [first, last + ((times[1] ?? first) - (times[0] ?? first))];
}

function momentsOf(_plot: UPlot, splits: number[], _axis: number, _space: number, step: number) {
  return splits.map((seconds) => (step < 86_400 ? timeOfDay : day)(seconds * 1000));
}
