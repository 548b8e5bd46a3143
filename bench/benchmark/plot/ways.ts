import type { Colour } from "../../plot/colours.ts";
import type { Point, Series } from "../../plot/lines.ts";
import type { PeerFigure } from "./part-figures.ts";

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
export const WAYS_NOTE =
  "Optimistic, leased and plain are Tidegate's. Interval: isolates exchange counts every 200 ms. Threshold: each tells Redis " +
  "after a fifth of the limit. Tokens: after 20 units or half a second. Own bucket: never.";

/** A line for each way, of the figures about the same thing at several places. */
export function waySeries(
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
export function besides(figures: readonly PeerFigure[], peer: string): PeerFigure | undefined {
  return figures.find((figure) => figure.peer.name === peer);
}
