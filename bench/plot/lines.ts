import { axisX, axisY, dot, gridY, line, type Markish, type PlotOptions } from "@observablehq/plot";

import { type Colour, paint } from "./colours.ts";
import { type EndLabel, endLabels } from "./end-labels.ts";
import { FONT_SIZE } from "./picture.ts";
import { textWidth } from "./text-width.ts";

export interface Point {
  readonly x: number | string;
  /** Null leaves a gap. */
  readonly y: number | null;
}

export interface Series {
  readonly name: string;
  readonly colour: Colour;
  readonly points: readonly Point[];
}

export interface Axis {
  readonly type?: "linear" | "point";
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
export function lines({ x, y, series, height = 320, behind = [] }: Lines): PlotOptions {
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
  // A line of one point is invisible, and values over names want to be seen one by one.
  const dots = points.length === 1 || points.some(({ x }) => typeof x === "string");
  return [
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

function ticksOf({ ticks, format }: Axis) {
  return { ...(ticks !== undefined && { ticks }), ...(format && { tickFormat: format }) };
}
