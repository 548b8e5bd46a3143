import { plot, type PlotOptions } from "@observablehq/plot";

import { type Colour, paint, STYLE } from "./colours.ts";
import { document, element, serialize } from "./svg.ts";
import { balance, type Font } from "./text-width.ts";

/** The width of all pictures: their texts stay readable on a telephone, and are not huge in a README. */
const WIDTH = 620;
export const FONT_SIZE = 14;
const MARGIN = 12;
const TITLE: Font = { size: 18, bold: true };
const NOTE: Font = { size: FONT_SIZE };
const LEADING = 1.3;
/** So that the highest label of an axis stands apart from it. */
const BELOW_HEADING = 6;

/** A piece of a line, in a colour that the panel uses: it takes the place of a legend. */
export interface Span {
  readonly text: string;
  readonly colour?: Colour;
}

/** A part of a picture, below the ones before. */
export interface Panel {
  readonly heading?: readonly Span[];
  readonly plot: PlotOptions;
}

export interface Picture {
  /** The message, as one sentence. */
  readonly title: string;
  /** The content of the picture, and how to read it. */
  readonly note?: string;
  readonly panels: readonly Panel[];
}

/** The picture as SVG for a file or for a page, on light and dark ground. */
export function draw({ title, note, panels }: Picture): string {
  let y = MARGIN / 2;
  const paragraph = (text: string, font: Font) => {
    const lines = balance(text, font, WIDTH - 2 * MARGIN);
    return lines.map((line) => textLine([{ text: line }], font, (y += font.size * LEADING)));
  };

  function place({ heading, plot: options }: Panel): Element[] {
    y += MARGIN;
    const text = heading ? [textLine(heading, NOTE, (y += FONT_SIZE))] : [];
    if (heading) y += BELOW_HEADING;
    const drawn = drawPlot(options);
    drawn.setAttribute("y", String(y));
    y += Number(drawn.getAttribute("height"));
    return [...text, drawn];
  }

  const lines = [paragraph(title, TITLE)];
  y += MARGIN / 2;
  if (note !== undefined) lines.push(paragraph(note, NOTE));
  const children = [...lines.flat(), ...panels.flatMap(place)];
  const height = Math.ceil(y + MARGIN / 2);
  const attributes = {
    class: "picture",
    viewBox: `0 0 ${WIDTH} ${height}`,
    width: WIDTH,
    height,
    role: "img",
    "aria-label": title,
    fill: "currentColor",
    "font-family": "system-ui, sans-serif",
  };
  const head = [element("title", {}, title), element("style", {}, STYLE)];
  return `${serialize(element("svg", attributes, ...head, ...children))}\n`;
}

function drawPlot(options: PlotOptions): Element {
  const drawn = plot({
    width: WIDTH,
    document,
    className: "plot",
    ...options,
    style: { fontSize: `${FONT_SIZE}px` },
  });
  // The plot's own rules of size and ground are for a page of its own.
  for (const style of drawn.querySelectorAll("style")) style.remove();
  drawn.setAttribute("overflow", "visible");
  return drawn;
}

function textLine(spans: readonly Span[], { size, bold }: Font, y: number): SVGElement {
  const attributes = { x: MARGIN, y: Math.round(y), "font-size": size };
  return element(
    "text",
    bold ? { ...attributes, "font-weight": 600 } : attributes,
    ...spans.map(({ text, colour }) =>
      colour === undefined ? text : element("tspan", { fill: paint(colour) }, text),
    ),
  );
}
