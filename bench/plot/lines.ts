import {
  areaY,
  axisX,
  axisY,
  dot,
  gridY,
  line,
  type Markish,
  type PlotOptions,
} from "@observablehq/plot";

import { type Colour, paint } from "./colours.ts";
import { type EndLabel, endLabels } from "./end-labels.ts";
import { magnitudes } from "./magnitudes.ts";
import { FONT_SIZE } from "./picture.ts";
import { textWidth } from "./text-width.ts";

export interface Point {
  readonly x: number | string;
  /** Null leaves a gap. */
  readonly y: number | null;
  /** How far up a band reaches from there. */
  readonly high?: number | null;
}

export interface Series {
  readonly name: string;
  readonly colour: Colour;
  readonly points: readonly Point[];
}

export interface Axis {
  readonly type?: "linear" | "log" | "point";
  readonly domain?: readonly (number | string)[];
  readonly ticks?: number | readonly number[];
  readonly format?: (value: number) => string;
}

export interface Lines {
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
  readonly height?: number;
  /** Drawn before the lines. */
  readonly behind?: readonly Markish[];
}

/** Lines over an axis, each with its name at its end. */
export function lines({ x, y: given, series, height = 320, behind = [] }: Lines): PlotOptions {
  const values = series.flatMap(({ points }) => points.flatMap((point) => [point.y, point.high]));
  const y = given.type === "log" ? withMagnitudes(given, values) : given;
  const names = series.map(({ name }) => textWidth(name, { size: FONT_SIZE }));
  return {
    height,
    marginLeft: 72,
    marginRight: Math.ceil(Math.max(...names)) + 16,
    marginTop: 14,
    marginBottom: 29,
    x: scaleOf(x),
    y: scaleOf(y),
    marks: [
      ...behind,
      gridY(ticksOf(y)),
      axisX({ label: null, tickPadding: 6, ...ticksOf(x) }),
      axisY({ label: null, ...ticksOf(y) }),
      // The first is the one to look at, and so on top.
      ...series.toReversed().flatMap(marksOf),
      endLabels(series.flatMap(endOf)),
    ],
  };
}

function marksOf({ points, colour }: Series): Markish[] {
  const stroke = paint(colour);
  const band = points.some(({ high }) => typeof high === "number");
  // A line of one point is invisible, and values over names want to be seen one by one.
  const dots = points.length === 1 || points.some(({ x }) => typeof x === "string");
  return [
    ...(band
      ? [areaY(points, { x: "x", y1: "y", y2: "high", fill: stroke, fillOpacity: 0.22 })]
      : []),
    line(points, { x: "x", y: "y", stroke, strokeWidth: 2.2 }),
    ...(dots ? [dot(points, { x: "x", y: "y", fill: stroke, r: 4 })] : []),
  ];
}

function endOf({ name, colour, points }: Series): EndLabel[] {
  const end = points.findLast(({ y }) => y !== null);
  return end ? [{ name, colour, x: end.x, y: end.y! }] : [];
}

function scaleOf({ type, domain }: Axis) {
  return { ...(type && { type }), ...(domain && { domain }), nice: !domain };
}

/** A line of the grid at each power of ten, as more of them are hard to read. */
function withMagnitudes(axis: Axis, values: readonly (number | null | undefined)[]): Axis {
  const ticks = magnitudes(values.filter((value) => typeof value === "number"));
  return { ...axis, domain: [ticks[0]!, ticks.at(-1)!], ticks };
}

function ticksOf({ ticks, format }: Axis) {
  return { ...(ticks !== undefined && { ticks }), ...(format && { tickFormat: format }) };
}
