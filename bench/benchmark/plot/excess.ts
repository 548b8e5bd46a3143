import { lines } from "../../plot/lines.ts";
import { draw } from "../../plot/picture.ts";
import { significant } from "../../support/significant.ts";
import { readLoad, USUAL_MS } from "../distance/figure-names.ts";
import type { Results } from "../results.ts";
import { peerFigures } from "./part-figures.ts";
import { besides, WAYS_NOTE, waySeries } from "./ways.ts";

const INTERVAL = "sync by interval";

/** The excess that ways to decide admit, by the load of an identity. */
export function excessPicture(results: Results): string | undefined {
  const found = peerFigures(results, "distance").flatMap((figure) => {
    const load = readLoad(figure.name);
    return load === undefined ? [] : [{ ...figure, load }];
  });
  const figures = found.toSorted((a, b) => a.load - b.load);
  const highest = figures.at(-1);
  const interval = besides(
    figures.filter(({ load }) => load === highest?.load),
    INTERVAL,
  );
  if (!highest || !interval) return undefined;
  const loads = new Map(figures.map(({ name, load }) => [name, load]));
  return draw({
    title:
      `At ${highest.load} times the limit, optimistic decisions admit ${percent(interval.tidegate)} too much, ` +
      `a sync by interval ${percent(interval.peer.value)}`,
    note:
      "Percent of what an exact model admits of the same requests that was admitted beyond it, over what the identity asks for: 5× " +
      `is five times the limit. 100 isolates in workerd, ${USUAL_MS} ms from Redis. ${WAYS_NOTE}`,
    panels: [
      {
        plot: lines({
          x: {
            domain: [0.5, highest.load],
            ticks: [0.5, 1, 2, 3, 4, 5],
            format: (load) => `${load}×`,
          },
          y: { format: percent, ticks: 5 },
          series: waySeries(figures, ({ name }) => loads.get(name)!),
        }),
      },
    ],
  });
}

function percent(value: number): string {
  return `${significant(value)} %`;
}
