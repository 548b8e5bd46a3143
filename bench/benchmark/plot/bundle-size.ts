import { bars } from "../../plot/bars.ts";
import { draw } from "../../plot/picture.ts";
import { significant } from "../../support/significant.ts";
import type { Results } from "../results.ts";
import { peerFigures } from "./part-figures.ts";

/** How large a handler with a limiter is, everything included. */
export function bundleSizePicture(results: Results): string | undefined {
  const figures = peerFigures(results, "bundle");
  const gzipped = figures.find(({ name }) => name.endsWith("gzipped"));
  if (!gzipped) return undefined;
  const most = Math.max(...figures.flatMap(({ tidegate, peer }) => [tidegate, peer.value]));
  const names = ["Tidegate", ...figures.map(({ peer }) => peer.name)];
  return draw({
    title:
      `A handler with Tidegate is ${kilobytes(gzipped.tidegate)} gzipped, with ` +
      `${gzipped.peer.name} ${kilobytes(gzipped.peer.value)}`,
    panels: figures.map(({ name, tidegate, peer }) => ({
      heading: [{ text: name }],
      plot: bars({
        most,
        names,
        bars: [
          { name: "Tidegate", colour: "good", value: tidegate, label: kilobytes(tidegate) },
          { name: peer.name, colour: "peer", value: peer.value, label: kilobytes(peer.value) },
        ],
      }),
    })),
  });
}

function kilobytes(bytes: number): string {
  return `${significant(bytes / 1000)} KB`;
}
