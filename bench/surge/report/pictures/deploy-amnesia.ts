import { ruleX, ruleY, text } from "@observablehq/plot";
import { max } from "d3-array";

import { type Colour, paint } from "../../../plot/colours.ts";
import { lines, type Series } from "../../../plot/lines.ts";
import { draw } from "../../../plot/picture.ts";
import type { SurgeResults } from "../../results.ts";
import type { DeployAmnesia, Deployed } from "../../scenes/deploy-amnesia.ts";
import { count, duration } from "../numbers.ts";
import { inSeconds } from "./surge-band.ts";

/** The content of the trailing window while the worker is replaced again and again, by the place of the counts. */
export function deployAmnesiaPicture({ scenes: { deployAmnesia } }: SurgeResults): string {
  const { limit, windowMs, redis, perIsolate } = deployAmnesia;
  const deploys = perIsolate.deploysAtMs.map((ms) => ms / 1000);
  const steps = [...redis.steps, ...perIsolate.steps];
  const end = (max(steps, ({ atMs }) => atMs) ?? 1_000) / 1000;
  const most = max([limit, ...steps.map(({ inWindow }) => inWindow)])!;
  return draw({
    title: titleOf(deployAmnesia),
    note:
      `Requests of one identity admitted in the last ${duration(windowMs)}. Dotted, upright: a new worker ` +
      "takes over.",
    panels: [
      {
        plot: lines({
          x: { domain: [0, end], format: inSeconds },
          y: { domain: [0, 1.1 * most], ticks: 5 },
          behind: [
            ruleX(deploys, { stroke: paint("ink"), strokeOpacity: 0.5, strokeDasharray: "2,3" }),
            ruleY([limit], { stroke: paint("ink"), strokeDasharray: "6,4" }),
            text([limit], {
              y: (value: number) => value,
              frameAnchor: "left",
              text: (value: number) => `limit: ${count(value)}`,
              dx: 18,
              dy: 14,
            }),
          ],
          series: [
            admitted("counts in Redis", "good", redis),
            admitted("counts per isolate", "bad", perIsolate),
          ],
        }),
      },
    ],
  });
}

function titleOf({ deploys, limit, redis, perIsolate }: DeployAmnesia): string {
  const most = redis.admittedInWorstWindow;
  const kept = most <= limit ? "holds" : `lets ${count(most)} pass`;
  return (
    `Through ${count(deploys)} deploys the limit of ${count(limit)} ${kept}; counted per isolate, ` +
    `${count(perIsolate.admittedInWorstWindow)} pass`
  );
}

function admitted(name: string, colour: Colour, { steps }: Deployed): Series {
  return {
    name,
    colour,
    points: steps.map(({ atMs, inWindow }) => ({ x: atMs / 1000, y: inWindow })),
  };
}
