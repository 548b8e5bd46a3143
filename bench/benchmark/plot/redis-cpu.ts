import { extent } from "d3-array";

import { bars } from "../../plot/bars.ts";
import { draw } from "../../plot/picture.ts";
import { significant } from "../../support/significant.ts";
import type { Results } from "../results.ts";
import { hasRatio, peerFigures, type RatioFigure } from "./part-figures.ts";

/** The limit whose figures stand for the others in plots. */
const NAME = /^(?<algorithm>[\w-]+), allow, limit 1000: CPU$/;

/** The cost of an allowed request in Redis, by algorithm, beside the peers' scripts. */
export function redisCpuPicture(results: Results): string | undefined {
  const figures = peerFigures(results, "redis")
    .filter(hasRatio)
    .filter(({ name }) => NAME.test(name));
  const upstash = figures.filter(({ peer }) => peer.name.startsWith("@upstash"));
  if (upstash.length === 0) return undefined;
  const [least, most] = extent(upstash, ({ ratio }) => ratio.median) as [number, number];
  const longest = Math.max(...figures.flatMap(({ tidegate, peer }) => [tidegate, peer.value]));
  const names = ["Tidegate", ...figures.map(({ peer }) => peer.name)];
  const groups = Object.groupBy(figures, ({ name }) => NAME.exec(name)!.groups!["algorithm"]!);
  return draw({
    title:
      `Tidegate costs Redis ${significant(least)} to ${significant(most)} times the CPU of ` +
      "@upstash/ratelimit per allowed request",
    note:
      "Microseconds of Redis's CPU per allowed request at a limit of 1,000, medians. In brackets: Tidegate's divided " +
      "by the peer's, median of the pairs.",
    panels: Object.entries(groups).map(([algorithm, group = []]) => ({
      heading: [{ text: algorithm }],
      plot: bars({ most: longest, names, bars: barsOf(group) }),
    })),
  });
}

function barsOf(group: readonly RatioFigure[]) {
  const { tidegate } = group[0]!;
  return [
    { name: "Tidegate", colour: "good", value: tidegate, label: micros(tidegate) } as const,
    ...group.map(
      ({ peer, ratio }) =>
        ({
          name: peer.name,
          colour: "peer",
          value: peer.value,
          label: `${micros(peer.value)} (${significant(ratio.median)}×)`,
        }) as const,
    ),
  ];
}

function micros(value: number): string {
  return `${significant(value)} µs`;
}
