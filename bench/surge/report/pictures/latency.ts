import type { Colour } from "../../../plot/colours.ts";
import { lines, type Series } from "../../../plot/lines.ts";
import { draw } from "../../../plot/picture.ts";
import type { SetupName, SurgeResults } from "../../results.ts";
import { duration } from "../numbers.ts";
import { inSeconds, lengthInSeconds, surgeBand } from "./surge-band.ts";

/** The latency of served requests, second by second, without a limiter and with all layers. */
export function latencyPicture(results: SurgeResults): string {
  const { without, with: limited } = results;
  return draw({
    title:
      `The median served request takes ${duration(without.servedP50Ms)} without a limiter, ` +
      `${duration(limited.servedP50Ms)} with all layers`,
    note:
      "Latency of served requests, by when the person meant to send them: the line is the median, the " +
      "band above it reaches to the 99th percentile. Grey: the surge.",
    panels: [
      {
        plot: lines({
          x: { domain: [0, lengthInSeconds(results)], format: inSeconds },
          y: { type: "log", format: duration },
          behind: [surgeBand(results)],
          series: [
            latencies("without", "no limiter", "bad"),
            latencies("with", "all layers", "good"),
          ],
        }),
      },
    ],
  });

  function latencies(setup: SetupName, name: string, colour: Colour): Series {
    const points = results.seconds[setup].map(({ second, servedP50Ms, servedP99Ms }) => ({
      x: second + 0.5,
      y: servedP50Ms,
      high: servedP99Ms,
    }));
    return { name, colour, points };
  }
}
