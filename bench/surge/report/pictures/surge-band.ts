import { type Markish, rectX } from "@observablehq/plot";

import { paint } from "../../../plot/colours.ts";
import { lengthOf, type Phases } from "../../people/phases.ts";

interface Phased {
  readonly phases: Phases;
}

/** The time of the surge, as a ground on which the rest is drawn. */
export function surgeBand({ phases: { quietMs, surgeMs } }: Phased): Markish {
  return band(quietMs, quietMs + surgeMs);
}

/** A span of time in milliseconds, over an axis of seconds. */
export function band(beginMs: number, endMs: number): Markish {
  const span = { begin: beginMs / 1000, end: endMs / 1000 };
  const fill = { fill: paint("ink"), fillOpacity: 0.06 };
  return rectX([span], { x1: "begin", x2: "end", ...fill });
}

/** The labels of an axis of seconds. */
export const inSeconds = (second: number) => `${second} s`;

export function lengthInSeconds({ phases }: Phased): number {
  return Math.ceil(lengthOf(phases) / 1000);
}
