import { max } from "d3-array";

import { type Bar, bars } from "../plot/bars.ts";
import type { Colour } from "../plot/colours.ts";
import { lines, type Series } from "../plot/lines.ts";
import { draw } from "../plot/picture.ts";
import { count, ms } from "../support/numbers.ts";
import { type PeerFigure, peerFigures } from "./figure.ts";
import * as names from "./regions/names.ts";
import { HOME_MS } from "./regions/scenes.ts";
import type { Results } from "./results.ts";

/** The ways to decide, the first of which is drawn on top. */
const WAYS: readonly (readonly [way: names.Way, colour: Colour])[] = [
  ["region", "good"],
  ["a limit per region", "bad"],
  ["optimistic", "other"],
  ["leased", "better"],
  ["plain", "ink"],
];

/** The time that a decision adds by region, and the units admitted beyond the limit. */
export function regionsPicture(results: Results): string | undefined {
  const figures = peerFigures(results.parts, "regions");
  const valueOf = (end: string, way: names.Way): number => {
    const found = figures.filter(({ name }) => name === end);
    const { tidegate, peer } = found.find(({ peer: { name } }) => name === way) ?? found[0]!;
    return way === names.REGION ? tidegate : peer.value;
  };
  const excess = names.figureName(names.HARDEST, names.EXCESS);
  if (!has(figures, added(HOME_MS[0])) || !has(figures, excess)) return undefined;
  const farthest = HOME_MS.at(-1)!;
  const beyond = WAYS.map(([name, colour]): Bar => {
    const value = valueOf(excess, name);
    return { name, colour, value, label: count(Math.round(value)) };
  });
  return draw({
    title:
      `${farthest} ms from home, a region adds at most ${ms(valueOf(added(farthest), names.REGION))} to 99 of 100 ` +
      `decisions, and all regions together keep one limit`,
    note:
      "A bucket that all clients of five regions share, with a Redis 2 ms from each region and their home 30 to 180 ms away. " +
      "A limit per region: the same limiters with the nearest Redis alone.",
    panels: [
      {
        heading: [
          { text: "Added to a decision, 99th percentile, at 0.9 times the limit, by distance" },
        ],
        plot: lines({
          height: 220,
          x: { type: "point", domain: HOME_MS.map((homeMs) => `${homeMs} ms`) },
          y: { format: (value) => `${value} ms`, ticks: 5 },
          series: WAYS.map(([name, colour]): Series => ({
            name,
            colour,
            points: HOME_MS.map((homeMs) => ({
              x: `${homeMs} ms`,
              y: valueOf(added(homeMs), name),
            })),
          })),
        }),
      },
      {
        heading: [{ text: "Units admitted beyond the limit, at five times the limit" }],
        plot: bars({
          bars: beyond,
          most: max(beyond, ({ value }) => value) ?? 0,
          names: beyond.map(({ name }) => name),
        }),
      },
    ],
  });
}

const added = (homeMs: number) => names.figureName(names.USUAL, names.byRegion(homeMs));

const has = (figures: readonly PeerFigure[], name: string) =>
  figures.some((figure) => figure.name === name);
