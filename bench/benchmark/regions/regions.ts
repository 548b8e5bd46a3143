import { sum } from "d3-array";

import type { Figure, Part } from "../figure.ts";
import { figuresOf } from "./figures.ts";
import { OTHERS, REGION, type Way } from "./names.ts";
import { type Outcome, replay } from "./replay.ts";
import { HOME_MS, type Scene, SCENES, SHORT_SCENES } from "./scenes.ts";
import { startStandingRedis } from "./standing-redis.ts";

/** Skewed scenes and small limits have only plain beside the region: the other ways do as they do elsewhere. */
const waysOf = ({ name, kind }: Scene): readonly Way[] =>
  kind === "small" || name.includes("skewed") ? [REGION, "plain"] : [REGION, ...OTHERS];

const requestsOf = ({ perSecond, seconds, warmUp }: Scene) => perSecond * (seconds + warmUp);

/**
 * Five regions, each with a Redis nearby, and one home that is 30 to 180 ms away: what a decision waits for, what it costs, and what
 * is admitted, with a region's store and in other ways. The scripts run on real servers, and distances pass in virtual time.
 */
export const regionsPart: Part = async ({ short, tell }) => {
  const scenes = short ? SHORT_SCENES : SCENES;
  const [home, ...regions] = await Promise.all(
    Array.from({ length: 1 + HOME_MS.length }, () => startStandingRedis()),
  );
  const figures: Figure[] = [];
  const whole = sum(scenes, (scene) => waysOf(scene).length * requestsOf(scene));
  let done = 0;
  try {
    for (const scene of scenes) {
      const outcomes = new Map<Way, Outcome>();
      for (const way of waysOf(scene)) {
        tell(`${scene.name}, ${way}`, done / whole);
        outcomes.set(way, await replay(scene, way, { home: home!, regions }));
        done += requestsOf(scene);
      }
      figures.push(...figuresOf(scene, outcomes));
    }
    return figures;
  } finally {
    await Promise.all([home!, ...regions].map((server) => server.close()));
  }
};
