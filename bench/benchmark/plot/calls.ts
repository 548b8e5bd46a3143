import { maxIndex } from "d3-array";

import { draw } from "../../plot/picture.ts";
import { significant } from "../../support/significant.ts";
import type { Results } from "../results.ts";
import { LOAD_NOTE, scenePanels } from "./scene-panels.ts";
import { type Scene, scenesOf } from "./scenes.ts";

/** How many decisions cause a call of Redis, by load and isolates, with the token bucket. */
export function callsPicture(results: Results): string | undefined {
  const scenes = scenesOf(results, "Redis calls per decision").filter(
    ({ algorithm }) => algorithm === "token-bucket",
  );
  const sharing = scenes.filter((scene) => scene.sharing);
  const hardest = sharing[maxIndex(sharing, ({ load, isolates }) => load * isolates)];
  if (!hardest) return undefined;
  const { load, isolates, figure } = hardest;
  const alone = scenes.find((scene) => sameLoad(scene, hardest) && !scene.sharing)!.figure;
  return draw({
    title:
      `Shared denials: ${significant(figure.tidegate)} Redis calls per decision at ${load}× the ` +
      `limit, @upstash/ratelimit ${significant(figure.peer.value)}`,
    note:
      `Redis calls per decision of one client of a token bucket; the title is of ${isolates} isolates, which ` +
      `make ${significant(alone.tidegate)} if they share nothing. ${LOAD_NOTE}`,
    panels: scenePanels(scenes, {
      domain: [0, 1],
      format: String,
    }),
  });
}

function sameLoad(a: Scene, b: Scene): boolean {
  return a.load === b.load && a.isolates === b.isolates;
}
