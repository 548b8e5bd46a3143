import { draw } from "../../plot/picture.ts";
import { ratios } from "../../plot/ratios.ts";
import { significant } from "../../support/significant.ts";
import type { Results } from "../results.ts";
import { hasRatio, peerFigures, type RatioFigure } from "./part-figures.ts";

/** CPU, heap and start-up at the edge, by the peer's. */
export function edgeRatiosPicture(results: Results): string | undefined {
  const figures = peerFigures(results, "edge")
    .filter(hasRatio)
    .filter(({ detail }) => !detail);
  const ratioOf = (name: string) =>
    figures.find((figure) => figure.name === `${name}, in workerd: CPU`)?.ratio.median;
  const denial = ratioOf("denial from knowledge");
  const allow = ratioOf("allow, the store answers at once");
  if (denial === undefined || allow === undefined) return undefined;
  return draw({
    title:
      `In workerd a known denial takes ${significant(denial)} times the CPU of ` +
      `@upstash/ratelimit, an allow ${significant(allow)} times`,
    note:
      "Tidegate's figure divided by its peer's: the dot is the median of all pairs, the line reaches from the smallest to " +
      "the largest pair. Left of 1, Tidegate takes less.",
    panels: [{ plot: ratios(figures.map(ratioRow)) }],
  });
}

function ratioRow({ name, peer, ratio }: RatioFigure) {
  return { name: `${name}, against ${peer.name}`, ...ratio };
}
