import { max, mean, quantile, sum } from "d3-array";

import type { Asked } from "../driver/records.ts";
import type { Person } from "../people/person.ts";
import type { Phases } from "../people/phases.ts";
import type { Load } from "../run/children.ts";
import type { Figures, Second } from "./figures.ts";
import { type Bucket, overAdmitted, type Passed } from "./over-admitted.ts";

/** A policy that a run had: whose requests it counts together; `undefined` for those that it does not count. */
export interface Promised {
  readonly bucket: Bucket;
  readonly partitionOf: (asked: Asked) => string | undefined;
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
  /** HTTP requests to the bridge. */
  readonly redisCalls: number;
  readonly promises: readonly Promised[];
  readonly driverMs: number;
}

export function measure(run: Run): Figures {
  const { asked, people, driverMs, loads } = run;
  const served = asked.filter(({ status }) => status === 200);
  const denied = asked.filter(({ status }) => status === 429);
  const latencies = served.map(latency);
  const [redis, isolate] = [true, false].map((by) =>
    denied.filter((each) => each.askedRedis === by).map((each) => latency(each) - driverMs),
  ) as [number[], number[]];
  const useful = served.filter(({ wanted, person }) => wanted || people[person]!.kind === "script");
  const rides = riderWaits(run);
  return {
    requests: asked.length,
    allowed: served.length,
    denied: denied.length,
    failed: asked.length - served.length - denied.length,
    servedMeanMs: mean(latencies) ?? 0,
    servedP50Ms: quantile(latencies, 0.5) ?? 0,
    servedP95Ms: quantile(latencies, 0.95) ?? 0,
    servedP99Ms: quantile(latencies, 0.99) ?? 0,
    servedMaxMs: max(latencies) ?? 0,
    deniedByRedis: redis.length,
    deniedByIsolate: isolate.length,
    deniedByRedisMeanMs: mean(redis) ?? 0,
    deniedByIsolateMeanMs: mean(isolate) ?? 0,
    driverMs,
    matchingCalls: loads.at(-1)?.calls ?? 0,
    matchingUseful: useful.length,
    matchingUsefulShare: usefulShare(run, useful),
    longestQueue: max(loads, ({ waiting }) => waiting) ?? 0,
    riders: rides.length,
    ridersServed: rides.filter((wait) => wait !== undefined).length,
    waitedP50Ms:
      quantile(
        rides.filter((wait) => wait !== undefined),
        0.5,
      ) ?? 0,
    waitedP95Ms:
      quantile(
        rides.filter((wait) => wait !== undefined),
        0.95,
      ) ?? 0,
    overAdmitted: sum(run.promises, (promise) => beyond(promise, run)),
    redisCalls: run.redisCalls,
  };
}

const latency = ({ meantMs, endMs }: Asked) => endMs - meantMs;

/** In the part of the surge in which people have had the time to come. */
function usefulShare({ beginMs, phases, capacity }: Run, useful: readonly Asked[]): number {
  const fromMs = beginMs + phases.quietMs + RAMP_SHARE * phases.surgeMs;
  const toMs = beginMs + phases.quietMs + phases.surgeMs;
  const count = useful.filter(({ endMs }) => endMs >= fromMs && endMs < toMs).length;
  return count / (((toMs - fromMs) / 1000) * capacity);
}

const RAMP_SHARE = 0.1;

/** How long each rider waited for the first ride; `undefined` for one who got none. */
function riderWaits({ people, asked, beginMs }: Run): (number | undefined)[] {
  const endOf = new Map<number, number>();
  for (const each of asked) {
    if (each.wanted && each.endpoint === "rides") {
      endOf.set(each.person, Math.min(each.endMs, endOf.get(each.person) ?? Infinity));
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
    const partition = partitionOf(each);
    if (!arrivedMs || partition === undefined) return;
    const passed = { earliestMs: each.sentMs, latestMs: arrivedMs };
    const others = passedOf.get(partition);
    if (others) others.push(passed);
    else passedOf.set(partition, [passed]);
  });
  return sum(passedOf.values(), (passed) => overAdmitted(passed, bucket));
}

/** The run second by second. */
export function secondsOf({ asked, beginMs, phases, loads }: Run): Second[] {
  const count = Math.ceil((phases.quietMs + phases.surgeMs + phases.afterMs) / 1000);
  const groups = Array.from({ length: count }, (): Asked[] => []);
  for (const each of asked) {
    groups[Math.floor((each.meantMs - beginMs) / 1000)]?.push(each);
  }
  return groups.map((group, second) => {
    const latencies = group.filter(({ status }) => status === 200).map(latency);
    const denied = group.filter(({ status }) => status === 429).length;
    const endMs = beginMs + (second + 1) * 1000;
    return {
      second,
      sent: group.length,
      allowed: latencies.length,
      denied,
      failed: group.length - latencies.length - denied,
      servedP50Ms: quantile(latencies, 0.5) ?? null,
      servedP99Ms: quantile(latencies, 0.99) ?? null,
      waiting: loads.findLast(({ atMs }) => atMs <= endMs)?.waiting ?? 0,
    };
  });
}
