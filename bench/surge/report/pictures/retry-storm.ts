import { axisX, axisY, gridY, rectY, ruleX } from "@observablehq/plot";
import { max } from "d3-array";

import { type Colour, paint } from "../../../plot/colours.ts";
import { draw, type Panel } from "../../../plot/picture.ts";
import type { SurgeResults } from "../../results.ts";
import type { Crowd } from "../../scenes/retry-storm.ts";
import { count, duration, percent } from "../numbers.ts";
import { togetherCrowds } from "../scene-figures.ts";
import { inSeconds } from "./surge-band.ts";

const BIN_S = 0.05;
const COLOURS: readonly Colour[] = ["bad", "better", "good"];

/** When a crowd that was locked out together comes back, by the jitter of the waits that it was told. */
export function retryStormPicture({ scenes: { retryStorm } }: SurgeResults): string {
  const crowds = togetherCrowds(retryStorm);
  const arrivals = crowds.flatMap((crowd) => crowd.arrivals);
  const most = max(arrivals, ({ arrived }) => arrived) || 1;
  const end = Math.max(1, Math.ceil((max(arrivals, ({ atMs }) => atMs) ?? 0) / 1000 + BIN_S));
  return draw({
    title: titleOf(crowds),
    note:
      "Clients who were denied together, obey Retry-After and come back: arrivals per 50 ms, by seconds after " +
      `the reset of a lockout of ${duration(retryStorm.lockoutMs)}.`,
    panels: crowds.map((crowd, i) => panelOf(crowd, COLOURS[i]!, most, end)),
  });
}

function titleOf(crowds: readonly Crowd[]): string {
  const [plain, most] = [crowds[0]!, crowds.at(-1)!];
  return (
    `${percent(plain.peakSecondShare)} of a crowd come back within a second without jitter, ` +
    `${percent(most.peakSecondShare)} with retryJitter ${most.jitter}`
  );
}

function panelOf(crowd: Crowd, colour: Colour, most: number, end: number): Panel {
  const pieces = crowd.arrivals.map(({ atMs, arrived }) => ({
    begin: atMs / 1000,
    end: atMs / 1000 + BIN_S,
    arrived,
  }));
  return {
    heading: [
      {
        text: `${crowd.jitter === 0 ? "no jitter" : `retryJitter ${crowd.jitter}`}: `,
        colour,
      },
      { text: `at most ${count(crowd.peak)} of ${count(crowd.denied)} within 50 ms, ` },
      { text: `${duration(crowd.meanWaitMs)} of waiting on average` },
    ],
    plot: {
      height: 112,
      marginLeft: 52,
      marginRight: 24,
      marginTop: 10,
      marginBottom: 27,
      x: { domain: [-1, end] },
      y: { domain: [0, most], nice: true },
      marks: [
        gridY({ ticks: 2 }),
        ruleX([0], { stroke: paint("ink"), strokeDasharray: "6,4" }),
        rectY(pieces, {
          x1: "begin",
          x2: "end",
          y: "arrived",
          fill: paint(colour),
          shapeRendering: "crispEdges",
        }),
        axisX({ label: null, tickFormat: inSeconds, tickPadding: 6 }),
        axisY({ label: null, ticks: 2 }),
      ],
    },
  };
}
