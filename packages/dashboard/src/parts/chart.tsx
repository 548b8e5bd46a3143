import { useEffect, useRef } from "hono/jsx/dom";
import UPlot from "uplot";

import { distinct, labelsAt } from "./axis-labels.ts";
import { lonePoints } from "./lone-points.ts";
import type { Series } from "./series.ts";

export interface ChartProps {
  /** The text for screen readers in place of the picture. */
  readonly label: string;
  /** When each value was counted, in milliseconds since 1970. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** Layers on top of each other, as counts are; or lines. */
  readonly kind: "layers" | "lines";
  readonly format: (value: number) => string;
  /** From when on counts may still grow, in milliseconds since 1970. */
  readonly growsFrom?: number | undefined;
  /** Told which moment the pointer is at; `undefined` for none. */
  readonly onPoint?: (index: number | undefined) => void;
}

const HEIGHT = 190;

export function Chart({
  label,
  times,
  series,
  kind,
  format,
  growsFrom = Infinity,
  onPoint,
}: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const grows = useRef(growsFrom);
  grows.current = growsFrom;
  const drawn = series.map((each) => `${each.label} ${each.colour}`).join("\n");

  useEffect(() => {
    const element = place.current;
    // The view was left before it was drawn.
    if (!element) return undefined;
    const draw = () => {
      plot.current?.destroy();
      plot.current = new UPlot(
        {
          ...optionsOf(series, kind, format, grows, onPoint),
          width: element.clientWidth,
          height: HEIGHT,
        },
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
  grows: { readonly current: number | null },
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
      x: { range: kind === "layers" ? spanOf : momentsOf },
      y: { range: (_plot, _min, max) => [0, Math.max(max * 1.08, 1)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 40,
        space: 64,
        values: (_plot, splits) => labelsAt(splits),
      },
      {
        ...axis,
        size: 58,
        space: 36,
        incrs: WHOLE_STEPS,
        values: (_plot, splits) => distinct(splits, format),
      },
    ],
    series: [
      {},
      ...ordered.map(({ colour: name }): UPlot.Series =>
        kind === "layers"
          ? {
              fill: name === "--passed" ? ({ ctx }) => striped(ctx, colour(name)) : colour(name),
              width: 0,
              paths: UPlot.paths.bars!({ size: [0.9, Infinity], align: 1 }),
              points: { show: false },
            }
          : { stroke: colour(name), width: 2, spanGaps: false, points: pointsOf(colour(name)) },
      ),
    ],
    hooks: {
      draw: [(plot) => paleFrom(plot, (grows.current ?? Infinity) / 1000, colour("--card"))],
      setCursor: [
        (plot) => onPoint?.(kind === "layers" ? layerAt(plot) : (plot.cursor.idx ?? undefined)),
      ],
    },
  };
}

/** A line shows points of its own only where it does not join them: close moments need none. */
function pointsOf(fill: string): UPlot.Series.Points {
  return {
    size: 5,
    fill,
    filter: (plot, series, areShown) => (areShown ? null : lonePoints(plot.data[series]!)),
  };
}

/** Counts and most milliseconds are whole: parts of one would give several lines the same label. */
const WHOLE_STEPS = [1, 2, 5]
  .flatMap((digit) => Array.from({ length: 14 }, (_, power) => digit * 10 ** power))
  .toSorted((one, other) => one - other);

/** Beside layers of any colour this one is told apart by its stripes. */
function striped(ctx: CanvasRenderingContext2D, colour: string): CanvasPattern {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const drawn = tile.getContext("2d")!;
  drawn.strokeStyle = colour;
  drawn.lineWidth = 2.5;
  for (const shift of [-6, 0, 6]) {
    drawn.moveTo(shift - 1, 7);
    drawn.lineTo(shift + 7, -1);
  }
  drawn.stroke();
  return ctx.createPattern(tile, "repeat")!;
}

/** Draws the bars paler that end after a moment. */
function paleFrom(plot: UPlot, seconds: number, card: string): void {
  const [times] = plot.data;
  const step = (times[1] ?? 0) - (times[0] ?? 0);
  const first = times.find((begins) => begins + step > seconds);
  if (first === undefined) return;
  const { ctx, bbox } = plot;
  const left = Math.max(bbox.left, plot.valToPos(first, "x", true));
  ctx.save();
  ctx.globalAlpha = 0.55;
  ctx.fillStyle = card;
  ctx.fillRect(left, bbox.top, bbox.left + bbox.width - left, bbox.height);
  ctx.restore();
}

/** A bar reaches from its moment to the next one: in its right half the nearest moment is the next bar's. */
function layerAt(plot: UPlot): number | undefined {
  const { left = -1 } = plot.cursor;
  if (left < 0) return undefined;
  const at = plot.posToVal(left, "x");
  const index = plot.data[0].findLastIndex((seconds) => seconds <= at);
  return index === -1 ? undefined : index;
}

function momentsOf(_plot: UPlot, first: number, last: number): [number, number] {
  return [first, last];
}

/** A layer begins at its moment, so that the last one ends a step later. */
function spanOf({ data: [times] }: UPlot, first: number, last: number): [number, number] {
  return [first, last + ((times[1] ?? first + 60) - (times[0] ?? first))];
}
