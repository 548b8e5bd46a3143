import { lines } from "../../plot/lines.ts";
import { draw } from "../../plot/picture.ts";
import { significant } from "../../support/significant.ts";
import { ADDED_P50, ADDED_P99, figureName, USUAL_MS } from "../distance/figure-names.ts";
import type { Results } from "../results.ts";
import { peerFigures } from "./part-figures.ts";
import { besides, WAYS_NOTE, waySeries } from "./ways.ts";

const PANELS = [
  { end: ADDED_P50, heading: "Median" },
  { end: ADDED_P99, heading: "99th percentile" },
];

/** The time that ways to decide add to an allowed request, by the distance from Redis. */
export function distancePicture(results: Results): string | undefined {
  const figures = peerFigures(results, "distance");
  const median = figureName(USUAL_MS, ADDED_P50);
  const usual = besides(
    figures.filter(({ name }) => name === median),
    "@upstash/ratelimit",
  );
  if (!usual) return undefined;
  return draw({
    title:
      `${USUAL_MS} ms from Redis, optimistic decisions add ${milliseconds(usual.tidegate)} to the median ` +
      `request, @upstash/ratelimit ${milliseconds(usual.peer.value)}`,
    note:
      "Milliseconds that a limiter adds to allowed requests, over the round trip to Redis: 100 isolates in workerd, identities by " +
      `Zipf's law, the busiest at five times its limit. ${WAYS_NOTE}`,
    panels: PANELS.map(({ end, heading }) => {
      const own = figures.filter(({ name }) => name.endsWith(`: ${end}`));
      return {
        heading: [{ text: heading }],
        plot: lines({
          height: 220,
          x: { type: "point", domain: [...new Set(own.map(distanceOf))] },
          y: { format: (value) => `${value} ms`, ticks: 5 },
          series: waySeries(own, distanceOf),
        }),
      };
    }),
  });
}

function distanceOf({ name }: { readonly name: string }): string {
  return `${Number.parseFloat(name)} ms`;
}

function milliseconds(value: number): string {
  return `${significant(value)} ms`;
}
