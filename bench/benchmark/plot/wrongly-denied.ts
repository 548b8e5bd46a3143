import { max } from "d3-array";

import { draw } from "../../plot/picture.ts";
import { significant } from "../../support/significant.ts";
import type { Results } from "../results.ts";
import { LOAD_NOTE, scenePanels } from "./scene-panels.ts";
import { scenesOf } from "./scenes.ts";

/** The share of the admissible requests that isolates deny because of cached denials, with the sliding window. */
export function wronglyDeniedPicture(results: Results): string | undefined {
  const scenes = scenesOf(results, "of the admissible, lost to the cache").filter(
    ({ algorithm }) => algorithm === "sliding-window-counter",
  );
  if (scenes.length === 0) return undefined;
  const ours = most(scenes.map(({ figure }) => figure.tidegate));
  const peers = most(scenes.map(({ figure }) => figure.peer.value));
  return draw({
    title:
      `@upstash/ratelimit wrongly denies up to ${peers} % of admissible requests, ` +
      `Tidegate ${ours} %`,
    note:
      "Of what a sliding window admits when isolates remember nothing, the percentage that is denied when they " +
      `remember denials. ${LOAD_NOTE}`,
    panels: scenePanels(scenes, {
      domain: [-1, 60],
      format: (value) => `${value} %`,
    }),
  });
}

function most(percentages: readonly number[]): string {
  return significant(Math.max(0, max(percentages) ?? 0));
}
