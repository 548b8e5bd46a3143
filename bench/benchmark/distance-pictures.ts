import type { Colour } from "../plot/colours.ts";
import { lines, type Point, type Series } from "../plot/lines.ts";
import { draw } from "../plot/picture.ts";
import { ms, significant } from "../support/numbers.ts";
import { ADDED_P50, ADDED_P99, figureName, readLoad, USUAL_MS } from "./distance/names.ts";
import { type PeerFigure, peerFigures } from "./figure.ts";
import type { Results } from "./results.ts";

const PANELS = [
  { end: ADDED_P50, heading: "Median" },
  { end: ADDED_P99, heading: "99th percentile" },
];

/** The time that ways to decide add to an allowed request, by the distance from Redis. */
export function distancePicture(results: Results): string | undefined {
  const figures = peerFigures(results.parts, "distance");
  const median = figureName(USUAL_MS, ADDED_P50);
  const usual = besides(
    figures.filter(({ name }) => name === median),
    "@upstash/ratelimit",
  );
  if (!usual) return undefined;
  return draw({
    title:
      `${USUAL_MS} ms from Redis, optimistic decisions add ${ms(usual.tidegate)} to the median ` +
      `request, @upstash/ratelimit ${ms(usual.peer.value)}`,
    note:
      "Milliseconds that a limiter adds to allowed requests, over the round trip to Redis: 100 isolates in workerd, identities by " +
      `Zipf's law, the busiest at five times its limit. ${WAYS_NOTE}`,
    panels: PANELS.map(({ end, heading }) => {
      const own = figures.filter(({ name }) => name.endsWith(`: ${end}`));
      return {
        heading: [{ text: heading }],
        plot: lines({
          height: 220,
          x: { type: "point", domain: [...new Set(own.map(distanceOf))] },
          y: { format: (value) => `${value} ms`, ticks: 5 },
          series: waySeries(own, distanceOf),
        }),
      };
    }),
  });
}

function distanceOf({ name }: { readonly name: string }): string {
  return `${Number.parseFloat(name)} ms`;
}

const INTERVAL = "sync by interval";

/** The excess that ways to decide admit, by the load of an identity. */
export function excessPicture(results: Results): string | undefined {
  const found = peerFigures(results.parts, "distance").flatMap((figure) => {
    const load = readLoad(figure.name);
    return load === undefined ? [] : [{ ...figure, load }];
  });
  const figures = found.toSorted((a, b) => a.load - b.load);
  const highest = figures.at(-1);
  const interval = besides(
    figures.filter(({ load }) => load === highest?.load),
    INTERVAL,
  );
  if (!highest || !interval) return undefined;
  const loads = new Map(figures.map(({ name, load }) => [name, load]));
  return draw({
    title:
      `At ${highest.load} times the limit, optimistic decisions admit ${percent(interval.tidegate)} too much, ` +
      `a sync by interval ${percent(interval.peer.value)}`,
    note:
      "Percent of what an exact model admits of the same requests that was admitted beyond it, over what the identity asks for: 5× " +
      `is five times the limit. 100 isolates in workerd, ${USUAL_MS} ms from Redis. ${WAYS_NOTE}`,
    panels: [
      {
        plot: lines({
          x: {
            domain: [0.5, highest.load],
            ticks: [0.5, 1, 2, 3, 4, 5],
            format: (load) => `${load}×`,
          },
          y: { format: percent, ticks: 5 },
          series: waySeries(figures, ({ name }) => loads.get(name)!),
        }),
      },
    ],
  });
}

function percent(value: number): string {
  return `${significant(value)} %`;
}

interface WayStyle {
  /** The peer's name in the results; `undefined` for Tidegate's own figure. */
  readonly peer?: string;
  readonly name: string;
  readonly colour: Colour;
}

/** The ways to decide, the first of which is drawn on top. */
const WAYS: readonly WayStyle[] = [
  { name: "optimistic", colour: "good" },
  { peer: "leased", name: "leased", colour: "better" },
  { peer: "plain", name: "plain", colour: "ink" },
  { peer: "@upstash/ratelimit", name: "@upstash/ratelimit", colour: "peer" },
  { peer: "sync by interval", name: "interval", colour: "denied" },
  { peer: "threshold", name: "threshold", colour: "another" },
  { peer: "unsynchronised tokens", name: "tokens", colour: "other" },
  { peer: "own bucket per isolate", name: "own bucket", colour: "bad" },
];

/** The words about the lines in the notes of the pictures. */
const WAYS_NOTE =
  "Optimistic, leased and plain are Tidegate's. Interval: isolates exchange counts every 200 ms. Threshold: each tells Redis " +
  "after a fifth of the limit. Tokens: after 20 units or half a second. Own bucket: never.";

/** A line for each way, of the figures about the same thing at several places. */
function waySeries(
  figures: readonly PeerFigure[],
  placeOf: (figure: PeerFigure) => Point["x"],
): Series[] {
  return WAYS.flatMap(({ peer, name, colour }) => {
    const [first] = figures;
    const own = figures.filter((figure) => figure.peer.name === (peer ?? first?.peer.name));
    const points = own.map((figure) => ({
      x: placeOf(figure),
      y: peer === undefined ? figure.tidegate : figure.peer.value,
    }));
    return points.length > 0 ? [{ name, colour, points }] : [];
  });
}

/** The figure beside this peer. */
function besides(figures: readonly PeerFigure[], peer: string): PeerFigure | undefined {
  return figures.find((figure) => figure.peer.name === peer);
}
