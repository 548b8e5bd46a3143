import { lines, type Point, type Series } from "../../plot/lines.ts";
import type { Panel } from "../../plot/picture.ts";
import type { Scene } from "./scenes.ts";

export interface SceneAxis {
  readonly domain: readonly [number, number];
  readonly format: (value: number) => string;
}

/** The words about the axis in the panels' notes. */
export const LOAD_NOTE = "Over the load: 5× asks for five times what the limit admits.";

/** A panel for each number of isolates, with the values over the load. */
export function scenePanels(scenes: readonly Scene[], axis: SceneAxis): Panel[] {
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
