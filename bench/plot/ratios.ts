import { axisX, axisY, dot, gridX, link, type PlotOptions, ruleX, text } from "@observablehq/plot";

import { paint } from "./colours.ts";
import { FONT_SIZE } from "./picture.ts";
import { wrap } from "./text-width.ts";

/** The middle of several ratios, and how far they spread. */
export interface Ratio {
  readonly name: string;
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

const ROW = 60;
const NAMES_WIDTH = 270;
const TICKS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20];

/** Ratios below each other on a log scale, on which half is as far from 1 as double. */
export function ratios(given: readonly Ratio[]): PlotOptions {
  const domain = [
    Math.min(0.5, ...given.map(({ min }) => min)) * 0.9,
    Math.max(2, ...given.map(({ max }) => max)) * 1.1,
  ];
  const ticks = TICKS.filter((tick) => tick >= domain[0]! && tick <= domain[1]!);
  const colour = ({ median }: Ratio) => paint(median <= 1 ? "good" : "denied");
  const place = { y: "name", stroke: colour } as const;
  return {
    height: given.length * ROW + 34,
    marginLeft: NAMES_WIDTH + 20,
    marginRight: 72,
    marginTop: 4,
    marginBottom: 30,
    x: { type: "log", domain },
    y: { type: "band", domain: given.map(({ name }) => name), padding: 0 },
    marks: [
      gridX({ ticks }),
      axisX({ ticks, tickFormat: (value: number) => `${value}×`, label: null }),
      ruleX([1], { strokeWidth: 1.5 }),
      axisY({ label: null, tickSize: 0, tickFormat: inLines, lineHeight: 1.2 }),
      link(given, { ...place, x1: "min", x2: "max", strokeWidth: 3, strokeOpacity: 0.5 }),
      dot(given, { x: "median", y: "name", fill: colour, r: 5 }),
      text(given, {
        frameAnchor: "right",
        y: "name",
        text: ({ median }: Ratio) => `${Number(median.toPrecision(3))}×`,
        dx: 14,
        textAnchor: "start",
      }),
    ],
  };
}

function inLines(name: string): string {
  return wrap(name, { size: FONT_SIZE }, NAMES_WIDTH).join("\n");
}
