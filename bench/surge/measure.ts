import { max, mean, quantile, sum } from "d3-array";

import type { Asked } from "./driver.ts";
import type { Load } from "./origin.ts";
import type { Person, Phases } from "./population.ts";
import { type Bucket, overAdmitted, type Passed } from "./proof.ts";

/** A policy that a run had, and whose requests it counts together. */
export interface Promised {
  readonly bucket: Bucket;
  readonly partitionOf: (asked: Asked) => string;
}

/** All that a run left behind. */
export interface Run {
  readonly people: readonly Person[];
  readonly phases: Phases;
  readonly capacity: number;
  readonly beginMs: number;
  readonly asked: readonly Asked[];
  /** By the number of the request. */
  readonly arrivals: Float64Array;
  readonly loads: readonly Load[];
  /** HTTP requests to Redis. */
  readonly redisCalls: number;
  readonly promises: readonly Promised[];
  readonly driverMs: number;
}

/** The results of one run. Latencies are milliseconds from when the person meant to send the request. */
export interface Figures {
  readonly requests: number;
  readonly allowed: number;
  readonly denied: number;
  /** Answered with an error, or not at all. */
  readonly failed: number;
  readonly servedP50Ms: number;
  readonly servedP95Ms: number;
  readonly servedP99Ms: number;
  /** Denials that Redis decided, and those that the isolate remembered. */
  readonly deniedByRedis: number;
  readonly deniedByIsolate: number;
  /** Without the driver's own latency. */
  readonly deniedByRedisMeanMs: number;
  readonly deniedByIsolateMeanMs: number;
  /** The driver's own: of a request that a server in another process answers at once, at the load of this run. */
  readonly driverMs: number;
  readonly matchingCalls: number;
  /** Of the service's capacity in the surge, the share whose answers were still wanted. */
  readonly matchingUsefulShare: number;
  readonly longestQueue: number;
  /** The riders of the run, and those of them who got a ride while they waited. */
  readonly riders: number;
  readonly ridersServed: number;
  /** From wanting a ride to having it, over all requests that it took. */
  readonly waitedP50Ms: number;
  readonly waitedP95Ms: number;
  /** Requests above the policies' limits. */
  readonly overAdmitted: number;
  /** Calls of Redis for decisions. */
  readonly redisCalls: number;
}

/** The outcomes of the requests that were meant for one second of a run, and how many calls wait at its end. */
export interface Second {
  readonly allowed: number;
  readonly denied: number;
  readonly failed: number;
  readonly waiting: number;
}

export function measure(run: Run): Figures {
  const { asked, driverMs, loads, redisCalls } = run;
  const latencies = asked.filter(({ status }) => status === 200).map(latency);
  const denied = asked.filter(({ status }) => status === 429);
  const [redis, isolate] = [true, false].map((by) =>
    denied.filter((each) => each.askedRedis === by).map((each) => latency(each) - driverMs),
  ) as [number[], number[]];
  const rides = riderWaits(run);
  const waits = rides.filter((wait) => wait !== undefined);
  return {
    requests: asked.length,
    ...outcomesOf(asked),
    servedP50Ms: quantile(latencies, 0.5) ?? 0,
    servedP95Ms: quantile(latencies, 0.95) ?? 0,
    servedP99Ms: quantile(latencies, 0.99) ?? 0,
    deniedByRedis: redis.length,
    deniedByIsolate: isolate.length,
    deniedByRedisMeanMs: mean(redis) ?? 0,
    deniedByIsolateMeanMs: mean(isolate) ?? 0,
    driverMs,
    matchingCalls: loads.at(-1)?.calls ?? 0,
    matchingUsefulShare: usefulShare(run),
    longestQueue: max(loads, ({ waiting }) => waiting) ?? 0,
    riders: rides.length,
    ridersServed: waits.length,
    waitedP50Ms: quantile(waits, 0.5) ?? 0,
    waitedP95Ms: quantile(waits, 0.95) ?? 0,
    overAdmitted: sum(run.promises, (promise) => beyond(promise, run)),
    redisCalls,
  };
}

/** The run second by second. */
export function secondsOf({ asked, beginMs, phases, loads }: Run): Second[] {
  const count = Math.ceil((phases.quietMs + phases.surgeMs + phases.afterMs) / 1000);
  const groups = Array.from({ length: count }, (): Asked[] => []);
  for (const each of asked) groups[Math.floor((each.meantMs - beginMs) / 1000)]?.push(each);
  return groups.map((group, second) => {
    const endMs = beginMs + (second + 1) * 1000;
    const waiting = loads.findLast(({ atMs }) => atMs <= endMs)?.waiting ?? 0;
    return Object.assign(outcomesOf(group), { waiting });
  });
}

const latency = ({ meantMs, endMs }: Asked) => endMs - meantMs;

function outcomesOf(asked: readonly Asked[]) {
  const allowed = asked.filter(({ status }) => status === 200).length;
  const denied = asked.filter(({ status }) => status === 429).length;
  return { allowed, denied, failed: asked.length - allowed - denied };
}

const RAMP_SHARE = 0.1;

/** In the part of the surge in which people have had the time to come. */
function usefulShare({ beginMs, phases, capacity, asked, people }: Run): number {
  const fromMs = beginMs + phases.quietMs + RAMP_SHARE * phases.surgeMs;
  const toMs = beginMs + phases.quietMs + phases.surgeMs;
  const useful = asked.filter(
    ({ status, wanted, person, endMs }) =>
      status === 200 &&
      (wanted || people[person]!.kind === "script") &&
      endMs >= fromMs &&
      endMs < toMs,
  );
  return useful.length / (((toMs - fromMs) / 1000) * capacity);
}

/** How long each rider waited for the first ride; `undefined` for one who got none. */
function riderWaits({ people, asked, beginMs }: Run): (number | undefined)[] {
  const endOf = new Map<number, number>();
  for (const { wanted, endpoint, person, endMs } of asked) {
    if (wanted && endpoint === "rides") {
      endOf.set(person, Math.min(endMs, endOf.get(person) ?? Infinity));
    }
  }
  return people.flatMap(({ kind, intentions }, person) => {
    if (kind === "script") return [];
    const endMs = endOf.get(person);
    return [endMs === undefined ? undefined : endMs - beginMs - intentions[0]!.atMs];
  });
}

function beyond({ bucket, partitionOf }: Promised, { asked, arrivals }: Run): number {
  const passedOf = new Map<string, Passed[]>();
  asked.forEach((each, number) => {
    const arrivedMs = arrivals[number];
    if (!arrivedMs) return;
    const passed = { earliestMs: each.sentMs, latestMs: arrivedMs };
    const others = passedOf.get(partitionOf(each));
    if (others) others.push(passed);
    else passedOf.set(partitionOf(each), [passed]);
  });
  return sum(passedOf.values(), (passed) => overAdmitted(passed, bucket));
}
