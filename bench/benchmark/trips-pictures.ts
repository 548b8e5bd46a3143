import { max, maxIndex } from "d3-array";

import { lines, type Point, type Series } from "../plot/lines.ts";
import { draw, type Panel } from "../plot/picture.ts";
import { significant } from "../support/numbers.ts";
import { type PeerFigure, peerFigures } from "./figure.ts";
import type { Results } from "./results.ts";

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

interface SceneAxis {
  readonly domain: readonly [number, number];
  readonly format: (value: number) => string;
}

/** The words about the axis in the panels' notes. */
const LOAD_NOTE = "Over the load: 5× asks for five times what the limit admits.";

/** A panel for each number of isolates, with the values over the load. */
function scenePanels(scenes: readonly Scene[], axis: SceneAxis): Panel[] {
  const loads = [...new Set(scenes.map(({ load }) => timesOf(load)))];
  return Object.entries(Object.groupBy(scenes, ({ isolates }) => isolates)).map(
    ([isolates, group = []]) => ({
      heading: [{ text: isolates === "1" ? "One isolate" : `${isolates} isolates` }],
      plot: lines({
        height: 150,
        x: { type: "point", domain: loads },
        y: { ...axis, ticks: 4 },
        series: seriesOf(group),
      }),
    }),
  );
}

function seriesOf(group: readonly Scene[]): Series[] {
  const [alone, sharing] = [false, true].map((each) =>
    group.filter((scene) => scene.sharing === each),
  ) as [Scene[], Scene[]];
  const peers = alone.map(({ load, figure }) => ({ x: timesOf(load), y: figure.peer.value }));
  return [
    { name: "Tidegate", colour: "good", points: ours(alone) },
    ...(sharing.length > 0
      ? ([{ name: "Tidegate, sharing", colour: "better", points: ours(sharing) }] as const)
      : []),
    { name: "@upstash/ratelimit", colour: "peer", points: peers },
  ];
}

function ours(scenes: readonly Scene[]): Point[] {
  return scenes.map(({ load, figure }) => ({ x: timesOf(load), y: figure.tidegate }));
}

function timesOf(load: number): string {
  return `${load}×`;
}

/** A figure of the part "trips", and the terms that its name holds. */
interface Scene {
  readonly algorithm: string;
  readonly load: number;
  readonly isolates: number;
  /** Whether the isolates share their denials. */
  readonly sharing: boolean;
  readonly figure: PeerFigure;
}

const NAME =
  /^(?<algorithm>[\w-]+), load (?<load>[\d.]+), (?<isolates>\d+) isolates?(?<sharing> .*)?$/;

/** The figures that are about this, as `Redis calls per decision`. */
function scenesOf(results: Results, about: string): Scene[] {
  const end = `: ${about}`;
  return peerFigures(results.parts, "trips").flatMap((figure) => {
    if (!figure.name.endsWith(end)) return [];
    const parts = NAME.exec(figure.name.slice(0, -end.length))?.groups;
    if (!parts) throw new Error(`the name of a figure is not known: ${figure.name}`);
    return {
      algorithm: parts["algorithm"]!,
      load: Number(parts["load"]),
      isolates: Number(parts["isolates"]),
      sharing: parts["sharing"] !== undefined,
      figure,
    };
  });
}
