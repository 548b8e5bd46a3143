import { axisY, barX, type PlotOptions, ruleX, text } from "@observablehq/plot";

import { type Colour, paint } from "./colours.ts";
import { FONT_SIZE } from "./picture.ts";
import { textWidth } from "./text-width.ts";

export interface Bar {
  readonly name: string;
  readonly colour: Colour;
  readonly value: number;
  /** The text at the bar's end. */
  readonly label: string;
}

export interface Bars {
  readonly bars: readonly Bar[];
  /** The value whose bar is as long as can be; panels of one picture share it. */
  readonly most: number;
  /** The widest name; panels of one picture share it. */
  readonly names: readonly string[];
}

const ROW = 26;

/** Bars below each other, with their names before them and their values after them, which saves an axis. */
export function bars({ bars: given, most, names }: Bars): PlotOptions {
  return {
    height: given.length * ROW + 8,
    marginLeft: widest(names) + 24,
    marginRight: widest(given.map(({ label }) => label)) + 16,
    marginTop: 4,
    marginBottom: 4,
    x: { domain: [0, most || 1], axis: null },
    y: { domain: given.map(({ name }) => name), padding: 0.2 },
    marks: [
      barX(given, { x: "value", y: "name", fill: ({ colour }: Bar) => paint(colour) }),
      text(given, { x: "value", y: "name", text: "label", textAnchor: "start", dx: 6 }),
      axisY({ label: null, tickSize: 0 }),
      ruleX([0]),
    ],
  };
}

function widest(texts: readonly string[]): number {
  return Math.ceil(Math.max(...texts.map((each) => textWidth(each, { size: FONT_SIZE }))));
}
