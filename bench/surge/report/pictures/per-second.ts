import { axisX, axisY, gridY, type Markish, type PlotOptions, rectY } from "@observablehq/plot";

import { paint } from "../../../plot/colours.ts";
import type { Second } from "../../figures/figures.ts";
import { inSeconds } from "./surge-band.ts";

/** From the ground up. */
const OUTCOMES = [
  { name: "allowed", colour: "good" },
  { name: "denied", colour: "denied" },
  { name: "failed", colour: "bad" },
] as const;

export interface PerSecond {
  readonly seconds: readonly Second[];
  readonly length: number;
  /** The most requests of a second; panels of one picture share it. */
  readonly most: number;
  /** Drawn before the rest. */
  readonly behind: Markish;
}

/** The outcomes of the requests, stacked second by second. */
export function perSecond({ seconds, length, most, behind }: PerSecond): PlotOptions {
  const pieces = seconds.flatMap((second) =>
    OUTCOMES.map((outcome) => ({
      begin: second.second,
      end: second.second + 1,
      requests: second[outcome.name],
      colour: outcome.colour,
    })),
  );
  return {
    height: 104,
    marginLeft: 52,
    marginRight: 24,
    marginTop: 10,
    marginBottom: 27,
    x: { domain: [0, length] },
    y: { domain: [0, most], nice: true },
    marks: [
      behind,
      gridY({ ticks: 2 }),
      rectY(pieces, {
        x1: "begin",
        x2: "end",
        y: "requests",
        fill: ({ colour }) => paint(colour),
        fillOpacity: 0.8,
        shapeRendering: "crispEdges",
      }),
      axisX({ label: null, tickFormat: inSeconds, tickPadding: 6 }),
      axisY({ label: null, ticks: 2 }),
    ],
  };
}
