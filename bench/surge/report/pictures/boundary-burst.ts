import { max } from "d3-array";

import { type Bar, bars } from "../../../plot/bars.ts";
import { draw } from "../../../plot/picture.ts";
import { significant } from "../../../support/significant.ts";
import type { SurgeResults } from "../../results.ts";
import type { Attacked } from "../../scenes/boundary-burst.ts";
import { count, duration } from "../numbers.ts";
import { strictest, weakest } from "../scene-figures.ts";

/** The yield of an attack on the boundary of two windows, and its cost, by algorithm. */
export function boundaryBurstPicture({ scenes: { boundaryBurst } }: SurgeResults): string {
  const { limit, windowMs, algorithms } = boundaryBurst;
  const [weak, strict] = [weakest(boundaryBurst), strictest(boundaryBurst)];
  const most = max(algorithms, ({ worstWindow }) => worstWindow) ?? 1;
  const names = algorithms.map(({ algorithm }) => nameOf(algorithm));

  const plotOf = (barOf: (attacked: Attacked) => Bar) =>
    bars({ most, names, bars: algorithms.map(barOf) });

  const inWindow = plotOf(({ algorithm, worstWindow, stated }) => ({
    name: nameOf(algorithm),
    value: worstWindow,
    label: `${times(worstWindow)}, ${stated.commandsOfAllow} commands, ${count(stated.bytesPerKey)} bytes`,
    colour: worstWindow <= 1 ? "good" : "denied",
  }));
  const inTenth = plotOf(({ algorithm, admittedInWorstTenth }) => ({
    name: nameOf(algorithm),
    value: admittedInWorstTenth / limit,
    label: times(admittedInWorstTenth / limit),
    colour: admittedInWorstTenth <= limit ? "good" : "denied",
  }));
  return draw({
    title:
      `An attack on a boundary gets ${times(weak.worstWindow)} the limit out of a ` +
      `${nameOf(weak.algorithm)}, ${times(strict.worstWindow)} out of a ` +
      nameOf(strict.algorithm),
    note:
      "Admitted at most, as a multiple of the limit. Beside it: Redis commands of an admission, and bytes " +
      "per key at a limit of 1,000.",
    panels: [
      { heading: [{ text: `in any ${duration(windowMs)}, the window` }], plot: inWindow },
      {
        heading: [{ text: `in any ${duration(windowMs / 10)}, which is what comes at once` }],
        // The same scale for both, although the labels here are short.
        plot: { ...inTenth, marginRight: inWindow.marginRight! },
      },
    ],
  });
}

function nameOf(algorithm: string): string {
  return algorithm.replaceAll("-", " ");
}

function times(multiple: number): string {
  return `${significant(multiple)}×`;
}
