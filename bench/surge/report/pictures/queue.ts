import type { Colour } from "../../../plot/colours.ts";
import { lines } from "../../../plot/lines.ts";
import { draw } from "../../../plot/picture.ts";
import { SETUPS, type SetupName, type SurgeResults } from "../../results.ts";
import { count } from "../numbers.ts";
import { NAMES } from "../titles.ts";
import { inSeconds, lengthInSeconds, surgeBand } from "./surge-band.ts";

const COLOURS: Record<SetupName, Colour> = {
  without: "bad",
  bucket: "other",
  ceiling: "better",
  with: "good",
  upstashTokenBucket: "peer",
  upstashSlidingWindow: "peer",
};

/** How many calls wait for the matching service, second by second, with each set-up. */
export function queuePicture(results: SurgeResults): string {
  const { without, with: limited } = results;
  return draw({
    title:
      `Without a limiter up to ${count(without.longestQueue)} calls wait for the matching service; ` +
      `with all layers never more than ${count(limited.longestQueue)}`,
    note: "Calls that wait in the matching service's queue, at the end of each second. Grey: the surge.",
    panels: [
      {
        plot: lines({
          x: { domain: [0, lengthInSeconds(results)], format: inSeconds },
          y: { format: count },
          behind: [surgeBand(results)],
          series: SETUPS.map((setup) => ({
            name: NAMES[setup],
            colour: COLOURS[setup],
            points: results.seconds[setup].map(({ second, waiting }) => ({
              x: second + 1,
              y: waiting,
            })),
          })),
        }),
      },
    ],
  });
}
