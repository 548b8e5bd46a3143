import { group, max, mean, quantile, sum } from "d3-array";

import type { Asked, Driven } from "./driver.ts";
import type { Log } from "./origin.ts";
import type { Person, Phases } from "./population.ts";
import { type Bucket, overAdmitted } from "./proof.ts";

/** A policy that a run had, and whose requests it counts together. */
export interface Promised {
  readonly bucket: Bucket;
  readonly partitionOf: (asked: Asked) => string;
}

/** All that a run left behind. */
export interface Run extends Driven, Log {
  readonly people: readonly Person[];
  readonly phases: Phases;
  readonly capacity: number;
  /** HTTP requests to Redis. */
  readonly redisCalls: number;
  readonly promises: readonly Promised[];
}

/** The results of one run. Latencies are milliseconds from when the person meant to send the request. */
export type Figures = ReturnType<typeof measure>;

export function measure(run: Run) {
  const { asked, driverMs, loads, redisCalls } = run;
  const latencies = asked.filter(({ status }) => status === 200).map(latency);
  const denied = asked.filter(({ status }) => status === 429);
  // Denials that Redis decided, and those that the isolate remembered.
  const redis = denied.filter(({ askedRedis }) => askedRedis);
  const isolate = denied.filter(({ askedRedis }) => !askedRedis);
  const ofDenials = (each: Asked) => latency(each) - driverMs;
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
    deniedByRedisMeanMs: mean(redis, ofDenials) ?? 0,
    deniedByIsolateMeanMs: mean(isolate, ofDenials) ?? 0,
    driverMs,
    matchingCalls: loads.at(-1)?.calls ?? 0,
    /** The share of the service's capacity in the surge whose answers were still wanted. */
    matchingUsefulShare: usefulShare(run),
    longestQueue: max(loads, ({ waiting }) => waiting) ?? 0,
    riders: rides.length,
    /** Those who got a ride while they waited. */
    ridersServed: waits.length,
    /** From wanting a ride to having it, over all requests that it took. */
    waitedP50Ms: quantile(waits, 0.5) ?? 0,
    waitedP95Ms: quantile(waits, 0.95) ?? 0,
    /** Requests above the policies' limits. */
    overAdmitted: sum(run.promises, (promise) => beyond(promise, run)),
    redisCalls,
  };
}

/** The outcomes of the requests that were meant for one second of a run, and how many calls wait at its end. */
export type Second = ReturnType<typeof secondsOf>[number];

/** The run second by second. */
export function secondsOf({ asked, beginMs, phases, loads }: Run) {
  const count = Math.ceil((phases.quietMs + phases.surgeMs + phases.afterMs) / 1000);
  const bySecond = group(asked, ({ meantMs }) => Math.floor((meantMs - beginMs) / 1000));
  return Array.from({ length: count }, (_, second) => {
    const endMs = beginMs + (second + 1) * 1000;
    const waiting = loads.findLast(({ atMs }) => atMs <= endMs)?.waiting ?? 0;
    return { ...outcomesOf(bySecond.get(second) ?? []), waiting };
  });
}

const latency = ({ meantMs, endMs }: Asked) => endMs - meantMs;

/** A request failed if it was answered with an error, or not at all. */
export function outcomesOf(asked: readonly { readonly status: number }[]) {
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
  const rides = asked.filter(({ wanted, endpoint }) => wanted && endpoint === "rides");
  const endOf = new Map<number, number>();
  for (const { person, endMs } of rides) {
    endOf.set(person, Math.min(endMs, endOf.get(person) ?? Infinity));
  }
  return people.flatMap(({ kind, intentions }, person) => {
    if (kind === "script") return [];
    const endMs = endOf.get(person);
    return [endMs === undefined ? undefined : endMs - beginMs - intentions[0]!.atMs];
  });
}

function beyond({ bucket, partitionOf }: Promised, { asked, arrivals }: Run): number {
  const passed = asked.flatMap((each, number) => {
    const latestMs = arrivals[number];
    const partition = partitionOf(each);
    return latestMs === undefined ? [] : [{ partition, earliestMs: each.sentMs, latestMs }];
  });
  const partitions = group(passed, ({ partition }) => partition).values();
  return sum(partitions, (ofOne) => overAdmitted(ofOne, bucket));
}
