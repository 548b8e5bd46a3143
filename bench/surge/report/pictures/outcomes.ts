import { max } from "d3-array";

import { draw, type Panel } from "../../../plot/picture.ts";
import type { Figures } from "../../figures/figures.ts";
import { SETUPS, type SetupName, type SurgeResults } from "../../results.ts";
import { count, percent } from "../numbers.ts";
import { NAMES } from "../titles.ts";
import { perSecond } from "./per-second.ts";
import { lengthInSeconds, surgeBand } from "./surge-band.ts";

/** The outcomes of the requests, second by second, with a panel for each set-up. */
export function outcomesPicture(results: SurgeResults): string {
  const { without, with: limited } = results;
  const most = max(SETUPS.flatMap((name) => results.seconds[name].map(({ sent }) => sent))) ?? 1;
  return draw({
    title:
      `Without a limiter ${failedShare(without)} of requests fail, with all layers ` +
      `${failedShare(limited)}; ${percent(limited.denied / limited.requests)} get a 429 then`,
    note: "Requests per second, stacked, by when the person meant to send them.",
    panels: SETUPS.map((name) => outcomes(name, results, most)),
  });
}

function outcomes(name: SetupName, results: SurgeResults, most: number): Panel {
  const figures = results[name];
  return {
    heading: [
      { text: `${NAMES[name]}: ` },
      { text: `${count(figures.allowed)} allowed`, colour: "good" },
      { text: ", " },
      { text: `${count(figures.denied)} denied (429)`, colour: "denied" },
      { text: ", " },
      { text: `${count(figures.failed)} failed`, colour: "bad" },
    ],
    plot: perSecond({
      seconds: results.seconds[name],
      length: lengthInSeconds(results),
      most,
      behind: surgeBand(results),
    }),
  };
}

function failedShare({ failed, requests }: Figures): string {
  return percent(failed / requests);
}
