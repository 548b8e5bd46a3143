import { Ratelimit } from "@upstash/ratelimit";
import { sum } from "d3-array";

import { slidingWindowCounter } from "../../../src/algorithms/sliding-window-counter.ts";
import { tokenBucket } from "../../../src/algorithms/token-bucket.ts";
import { atMost, type Figure, type Part, type Target } from "../figure.ts";
import { openRedis } from "../redis/server.ts";
import { type CreateContender, tidegate, upstash } from "./contenders.ts";
import { replay, type Tallies } from "./replay.ts";
import { type Arrival, workload } from "./workload.ts";

/** 100 in 10 seconds, as both count it. */
const RATE = 10;
const LOADS = [0.9, 1.2, 5, 50];
const CROWDS = [1, 10, 100];

interface Rivals {
  readonly name: string;
  readonly peer: string;
  readonly ours: CreateContender;
  /** The same, with isolates that share their denials. */
  readonly sharing: CreateContender;
  readonly theirs: CreateContender;
}

/** The share of the requests that reaches Redis, and the share that is denied without need. */
export const tripsPart: Part = async ({ short, tell }) => {
  const server = await openRedis();
  const { redis } = server;
  const bucket = tokenBucket({ limit: 100, refill: 10, per: "1s" });
  const counter = slidingWindowCounter({ limit: 100, window: "10s" });
  const rivals: Rivals[] = [
    {
      name: "token-bucket",
      peer: "@upstash token bucket",
      ours: tidegate(bucket),
      sharing: tidegate(bucket, { share: true }),
      theirs: upstash(redis, Ratelimit.tokenBucket(10, "1 s", 100)),
    },
    {
      name: "sliding-window-counter",
      peer: "@upstash sliding window",
      ours: tidegate(counter),
      sharing: tidegate(counter, { share: true }),
      theirs: upstash(redis, Ratelimit.slidingWindow(100, "10 s")),
    },
  ];
  try {
    const figures: Figure[] = [];
    const loads = short ? [1.2, 50] : LOADS;
    // A scene takes as long as it has requests.
    const whole = rivals.length * sum(loads);
    let done = 0;
    for (const rival of rivals) {
      let wrong = 0;
      for (const load of loads) {
        tell(`${rival.name}, load ${load}`, done / whole);
        done += load;
        for (const isolates of short ? [1, 100] : CROWDS) {
          const seconds = short ? 15 : 70;
          const arrivals = workload({ seed: 1, load, isolates, rate: RATE, seconds });
          const scene = await compareOn(rival, arrivals, load, isolates);
          figures.push(...scene.figures);
          wrong += scene.wrong;
        }
      }
      figures.push({
        name: `${rival.name}: denied locally, though Redis would have admitted`,
        unit: "",
        tidegate: wrong,
        target: atMost(0, "tidegate"),
      });
    }
    return figures;
  } finally {
    await server.close();
  }
};

async function compareOn(
  { name, peer, ours, sharing, theirs }: Rivals,
  arrivals: readonly Arrival[],
  load: number,
  isolates: number,
): Promise<{ figures: Figure[]; wrong: number }> {
  const mine = await replay(arrivals, ours, { isolates, cache: true });
  const exact = await replay(arrivals, ours, { isolates, cache: false });
  const others = await replay(arrivals, theirs, { isolates, cache: true });
  const othersExact = await replay(arrivals, theirs, { isolates, cache: false });
  const scene = `${name}, load ${load}, ${isolates} isolate${isolates > 1 ? "s" : ""}`;
  // One call for each admitted request is the least that can be.
  const target = isolates === 1 && load >= 5 ? atMost(1.05 / load, "tidegate") : undefined;
  const figures = figuresOf(scene, mine, target);
  if (isolates === 1) return { figures, wrong: mine.all.wrong };
  const together = await replay(arrivals, sharing, { isolates, cache: true });
  const sharedTarget = isolates === 100 && load === 50 ? atMost(0.1, "tidegate") : undefined;
  figures.push(...figuresOf(`${scene} that share their denials`, together, sharedTarget));
  return { figures, wrong: mine.all.wrong + together.all.wrong };

  function figuresOf(what: string, tallies: Tallies, target: Target | undefined): Figure[] {
    return [
      {
        name: `${what}: Redis calls per decision`,
        unit: "",
        ...pair(callsOf(tallies), peer, callsOf(others)),
        ...(target && { target }),
      },
      {
        name: `${what}: of the admissible, lost to the cache`,
        unit: "%",
        ...pair(lost(tallies, exact), peer, lost(others, othersExact)),
      },
    ];
  }
}

function callsOf({ abuser }: Tallies): number {
  return abuser.calls / abuser.decisions;
}

/** Percent of the requests that the same limiter admits when its isolates remember nothing. */
function lost(cached: Tallies, exact: Tallies): number {
  return (1 - cached.abuser.admitted / exact.abuser.admitted) * 100;
}

function pair(ours: number, name: string, theirs: number) {
  return { tidegate: ours, peer: { name, value: theirs } };
}
