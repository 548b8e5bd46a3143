import { bars } from "../../plot/bars.ts";
import type { Colour } from "../../plot/colours.ts";
import { draw } from "../../plot/picture.ts";
import { significant } from "../../support/significant.ts";
import type { Results } from "../results.ts";
import { hasRatio, peerFigures, type RatioFigure } from "./part-figures.ts";

const ABOUT = ": requests per second";

/** How many requests a worker answers in workerd, beside its peer on the same path. */
export function throughputPicture(results: Results): string | undefined {
  const figures = peerFigures(results, "workerd")
    .filter(hasRatio)
    .filter(({ name }) => name.endsWith(ABOUT));
  const leased = figures.find(({ name, peer }) => /lease/.test(name) && isUpstash(peer.name));
  if (!leased) return undefined;
  const most = Math.max(...figures.flatMap(({ tidegate, peer }) => [tidegate, peer.value]));
  const names = ["Tidegate", ...figures.map(({ peer }) => peer.name)];
  return draw({
    title:
      `With a lease, a worker allows ${significant(leased.ratio.median)} times as many requests ` +
      `of a hot key as with @upstash/ratelimit`,
    note:
      "Requests per second in workerd, medians. In brackets: divided by the peer's, the median, the smallest and " +
      "the largest pair.",
    panels: figures.map((figure) => ({
      heading: [{ text: figure.name.slice(0, -ABOUT.length) }],
      plot: bars({ most, names, bars: barsOf(figure) }),
    })),
  });
}

function barsOf({ tidegate, peer, ratio }: RatioFigure) {
  const by = [ratio.median, ratio.min, ratio.max].map(significant);
  return [
    {
      name: "Tidegate",
      colour: "good" satisfies Colour,
      value: tidegate,
      label: `${perSecond(tidegate)} (${by[0]}×, ${by[1]}..${by[2]})`,
    },
    {
      name: peer.name,
      colour: "peer" satisfies Colour,
      value: peer.value,
      label: perSecond(peer.value),
    },
  ] as const;
}

function isUpstash(peer: string): boolean {
  return peer.startsWith("@upstash");
}

function perSecond(value: number): string {
  return Math.round(value).toLocaleString("en");
}
