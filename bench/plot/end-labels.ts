import { type ChannelValue, initializer, type Markish, text } from "@observablehq/plot";

import { type Colour, paint } from "./colours.ts";

/** The text beside the end of a line. */
export interface EndLabel {
  readonly name: string;
  readonly colour: Colour;
  readonly x: number | string;
  readonly y: number;
}

/** Between the lines of labels. */
const LINE = 16;

/** Labels right of where lines end, as near to it as they can be without covering each other. */
export function endLabels(labels: readonly EndLabel[]): Markish {
  const options = {
    x: "x",
    y: "y",
    text: "name",
    fill: ({ colour }: EndLabel) => paint(colour),
    textAnchor: "start",
    dx: 7,
  } as const;
  return text(
    labels,
    initializer(options, (_data, _facets, { y }, scales, { height, marginTop, marginBottom }) => {
      const ends = Array.from(y!.value as number[], (value) => scales.y!(value) as number);
      const value = apart(ends, LINE, marginTop, height - marginBottom) as ChannelValue;
      return { channels: { y: { value } } as never };
    }),
  );
}

/** The same places, moved so that all are at least `gap` from each other, and none is before `first` or after `last`. */
export function apart(
  places: readonly number[],
  gap: number,
  first: number,
  last: number,
): number[] {
  const moved = [...places];
  const order = [...places.keys()].sort((a, b) => places[a]! - places[b]!);
  let latest = last;
  for (const i of order.toReversed()) {
    moved[i] = Math.min(places[i]!, latest);
    latest = moved[i]! - gap;
  }
  let earliest = first;
  for (const i of order) {
    moved[i] = Math.max(moved[i]!, earliest);
    earliest = moved[i]! + gap;
  }
  return moved;
}
