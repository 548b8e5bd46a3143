import { writeFile } from "node:fs/promises";
import { dirname, join, parse } from "node:path";

import * as Plot from "@observablehq/plot";
import { max } from "d3-array";

import { type Bar, bars } from "../plot/bars.ts";
import { type Colour, paint } from "../plot/colours.ts";
import { lines, type Series } from "../plot/lines.ts";
import { draw, type Panel } from "../plot/picture.ts";
import { count, duration, percent, significant } from "../support/numbers.ts";
import type { Deployed } from "./deploys.ts";
import { type SetupName, SETUPS } from "./incident.ts";
import type { Second } from "./measure.ts";
import type { SurgeResults } from "./results.ts";

/** In the order to look at them; a file's name has the key. */
export const PICTURES: Readonly<Record<string, (results: SurgeResults) => string>> = {
  outcomes,
  queue,
  "deploy-amnesia": deployAmnesia,
  "boundary-burst": boundaryBurst,
};

/** Writes the pictures beside the file of the results: surge-queue.svg beside surge.json. */
export async function writePictures(file: string, results: SurgeResults): Promise<void> {
  const beside = join(dirname(file), parse(file).name);
  for (const [name, drawn] of Object.entries(PICTURES)) {
    await writeFile(`${beside}-${name}.svg`, drawn(results));
  }
}

const LINES: Readonly<Record<SetupName, { readonly name: string; readonly colour: Colour }>> = {
  without: { name: "no limiter", colour: "bad" },
  bucket: { name: "bucket per rider", colour: "other" },
  ceiling: { name: "bucket and ceiling", colour: "better" },
  with: { name: "all layers", colour: "good" },
};
/** From the ground up. */
const OUTCOMES = [
  { of: "allowed", name: "allowed", colour: "good" },
  { of: "denied", name: "denied (429)", colour: "denied" },
  { of: "failed", name: "failed", colour: "bad" },
] as const;

const inSeconds = (second: number) => `${second} s`;

/** The outcomes of the requests, second by second, with a panel for each set-up. */
function outcomes(results: SurgeResults): string {
  const { without, with: limited, seconds } = results;
  const all = SETUPS.flatMap((name) => seconds[name]);
  const most = max(all, ({ allowed, denied, failed }) => allowed + denied + failed) ?? 1;
  return draw({
    title:
      `Without a limiter ${percent(without.failed / without.requests)} of requests fail, with all layers ` +
      `${percent(limited.failed / limited.requests)}; ${percent(limited.denied / limited.requests)} get a 429 then`,
    note: "Requests per second, stacked, by when the person meant to send them.",
    panels: SETUPS.map((setup): Panel => {
      const spans = OUTCOMES.flatMap(({ of, name, colour }, i) => [
        { text: i === 0 ? `${LINES[setup].name}: ` : ", " },
        { text: `${count(results[setup][of])} ${name}`, colour },
      ]);
      return { heading: spans, plot: perSecond(seconds[setup], most, surgeBand(results)) };
    }),
  });
}

function perSecond(
  seconds: readonly Second[],
  most: number,
  behind: Plot.Markish,
): Plot.PlotOptions {
  const pieces = seconds.flatMap((second, begin) =>
    OUTCOMES.map(({ of, colour }) => ({ begin, end: begin + 1, requests: second[of], colour })),
  );
  return {
    height: 104,
    marginLeft: 52,
    marginRight: 24,
    marginTop: 10,
    marginBottom: 27,
    x: { domain: [0, seconds.length] },
    y: { domain: [0, most], nice: true },
    marks: [
      behind,
      Plot.gridY({ ticks: 2 }),
      Plot.rectY(pieces, {
        x1: "begin",
        x2: "end",
        y: "requests",
        fill: ({ colour }) => paint(colour),
        fillOpacity: 0.8,
        shapeRendering: "crispEdges",
      }),
      Plot.axisX({ label: null, tickFormat: inSeconds, tickPadding: 6 }),
      Plot.axisY({ label: null, ticks: 2 }),
    ],
  };
}

/** The time of the surge, as a ground on which the rest is drawn. */
function surgeBand({ phases: { quietMs, surgeMs } }: SurgeResults): Plot.Markish {
  const span = { begin: quietMs / 1000, end: (quietMs + surgeMs) / 1000 };
  return Plot.rectX([span], { x1: "begin", x2: "end", fill: paint("ink"), fillOpacity: 0.06 });
}

/** How many calls wait for the matching service, second by second, with each set-up. */
function queue(results: SurgeResults): string {
  const { without, with: limited, seconds } = results;
  const plot = lines({
    x: { domain: [0, seconds.without.length], format: inSeconds },
    y: { format: count },
    behind: [surgeBand(results)],
    series: SETUPS.map((setup) => {
      const points = seconds[setup].map(({ waiting }, second) => ({ x: second + 1, y: waiting }));
      return { name: LINES[setup].name, colour: LINES[setup].colour, points };
    }),
  });
  return draw({
    title:
      `Without a limiter up to ${count(without.longestQueue)} calls wait for the matching service; ` +
      `with all layers never more than ${count(limited.longestQueue)}`,
    note: "Calls that wait in the matching service's queue, at the end of each second. Grey: the surge.",
    panels: [{ plot }],
  });
}

/** The content of the trailing window while the worker is replaced again and again, by the place of the counts. */
function deployAmnesia({ scenes }: SurgeResults): string {
  const { deploys, limit, windowMs, redis, perIsolate } = scenes.deployAmnesia;
  const steps = [...redis.steps, ...perIsolate.steps];
  const releases = perIsolate.deploysAtMs.map((ms) => ms / 1000);
  const ink = paint("ink");
  const plot = lines({
    x: { domain: [0, max(steps, ({ atMs }) => atMs)! / 1000], format: inSeconds },
    y: { domain: [0, 1.1 * max([limit, ...steps.map(({ inWindow }) => inWindow)])!], ticks: 5 },
    behind: [
      Plot.ruleX(releases, { stroke: ink, strokeOpacity: 0.5, strokeDasharray: "2,3" }),
      Plot.ruleY([limit], { stroke: ink, strokeDasharray: "6,4" }),
      Plot.text([`limit: ${count(limit)}`], {
        y: () => limit,
        frameAnchor: "left",
        dx: 18,
        dy: 14,
      }),
    ],
    series: [
      admitted("counts in Redis", "good", redis),
      admitted("counts per isolate", "bad", perIsolate),
    ],
  });
  const most = redis.admittedInWorstWindow;
  const kept = most <= limit ? "holds" : `lets ${count(most)} pass`;
  return draw({
    title:
      `Through ${count(deploys)} deploys the limit of ${count(limit)} ${kept}; counted per isolate, ` +
      `${count(perIsolate.admittedInWorstWindow)} pass`,
    note:
      `Requests of one identity admitted in the last ${duration(windowMs)}. Dotted, upright: a new worker ` +
      "takes over.",
    panels: [{ plot }],
  });
}

function admitted(name: string, colour: Colour, { steps }: Deployed): Series {
  const points = steps.map(({ atMs, inWindow }) => ({ x: atMs / 1000, y: inWindow }));
  return { name, colour, points };
}

/** The yield of an attack on the boundary of two windows, by algorithm. */
function boundaryBurst({ scenes }: SurgeResults): string {
  const { limit, windowMs, algorithms } = scenes.boundaryBurst;
  const times = (units: number) => `${significant(units / limit)}×`;
  const names = algorithms.map(({ algorithm }) => algorithm.replaceAll("-", " "));
  const most = max(algorithms, ({ admittedInWorstWindow }) => admittedInWorstWindow / limit)!;
  const panelOf = (heading: string, units: readonly number[]): Panel => {
    const barOf = (each: number, i: number): Bar => {
      const colour = each <= limit ? "good" : "denied";
      return { name: names[i]!, colour, value: each / limit, label: times(each) };
    };
    return { heading: [{ text: heading }], plot: bars({ most, names, bars: units.map(barOf) }) };
  };
  const inWindow = algorithms.map(({ admittedInWorstWindow }) => admittedInWorstWindow);
  const inTenth = algorithms.map(({ admittedInWorstTenth }) => admittedInWorstTenth);
  const gotOf = (name: string) => times(inWindow[names.indexOf(name)]!);
  return draw({
    title:
      `An attack on a boundary gets ${gotOf("fixed window")} the limit out of a fixed window, ` +
      `${gotOf("segmented window")} out of a segmented window`,
    note: "Admitted at most, as a multiple of the limit.",
    panels: [
      panelOf(`in any ${duration(windowMs)}, the window`, inWindow),
      panelOf(`in any ${duration(windowMs / 10)}, which is what comes at once`, inTenth),
    ],
  });
}
