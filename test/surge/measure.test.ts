import { describe, expect, test } from "vitest";

import type { Asked } from "../../bench/surge/driver.ts";
import { measure, type Promised, type Run, secondsOf } from "../../bench/surge/measure.ts";
import type { Person } from "../../bench/surge/population.ts";

const BEGIN_MS = 5_000;

const personOf = (kind: Person["kind"], atMs: number): Person => ({
  id: kind,
  kind,
  intentions: [{ atMs, endpoint: "rides" }],
  seed: 1,
});

/** A request: times are milliseconds after the run began, but for `arrivedMs`, which counts from its sending. */
interface Made extends Partial<Pick<Asked, "person" | "askedRedis" | "wanted">> {
  readonly atMs: number;
  readonly tookMs: number;
  readonly status: number;
  /** How late the driver was. */
  readonly lateMs?: number;
  readonly arrivedMs?: number;
}

const loadAt = (ms: number, calls: number, waiting: number) => ({
  atMs: BEGIN_MS + ms,
  calls,
  waiting,
});

/** Three riders and a script: the second rider's ride comes with the second tap, the third rider gets none. */
const PEOPLE = [
  personOf("patient", 100),
  personOf("impatient", 1_200),
  personOf("patient", 1_500),
  personOf("script", 1_000),
];
const MADE: readonly Made[] = [
  { person: 0, atMs: 100, tookMs: 50, status: 200, wanted: true, arrivedMs: 10 },
  { person: 1, atMs: 1_200, tookMs: 1_000, status: 200, arrivedMs: 10 },
  { person: 1, atMs: 1_900, lateMs: 30, tookMs: 150, status: 200, wanted: true, arrivedMs: 10 },
  { person: 2, atMs: 1_500, tookMs: 12, status: 429, askedRedis: true },
  { person: 2, atMs: 2_500, tookMs: 4, status: 429 },
  { person: 2, atMs: 3_500, tookMs: 100, status: 503, arrivedMs: 10 },
  { person: 2, atMs: 3_600, tookMs: 30_000, status: 0, arrivedMs: 10 },
  { person: 3, atMs: 1_300, tookMs: 200, status: 200, arrivedMs: 10 },
];

function runOf(made: readonly Made[], promises: readonly Promised[] = []): Run {
  const asked = made.map(({ atMs, tookMs, lateMs = 0, status, ...more }): Asked => {
    const meantMs = BEGIN_MS + atMs;
    return {
      person: more.person ?? 0,
      endpoint: "rides",
      meantMs,
      sentMs: meantMs + lateMs,
      endMs: meantMs + tookMs,
      status,
      askedRedis: more.askedRedis ?? false,
      wanted: more.wanted ?? false,
    };
  });
  return {
    people: PEOPLE,
    phases: { quietMs: 1_000, surgeMs: 2_000, afterMs: 1_000 },
    capacity: 10,
    beginMs: BEGIN_MS,
    asked,
    arrivals: made.map(({ arrivedMs }, i) =>
      arrivedMs === undefined ? undefined : asked[i]!.sentMs + arrivedMs,
    ),
    loads: [loadAt(900, 1, 0), loadAt(1_900, 4, 3), loadAt(3_900, 6, 1)],
    redisCalls: 7,
    promises,
    driverMs: 2,
  };
}

test("a run's figures count latency from when a person meant to ask, and denials without the driver's own", () => {
  const served = [50, 150, 200, 1_000];
  const waits = [50, 850];
  expect(measure(runOf(MADE))).toEqual({
    requests: 8,
    allowed: 4,
    denied: 2,
    failed: 2,
    servedP50Ms: (served[1]! + served[2]!) / 2,
    servedP95Ms: expect.closeTo(200 + 0.85 * 800, 9),
    servedP99Ms: expect.closeTo(200 + 0.97 * 800, 9),
    deniedByRedis: 1,
    deniedByIsolate: 1,
    deniedByRedisMeanMs: 12 - 2,
    deniedByIsolateMeanMs: 4 - 2,
    driverMs: 2,
    matchingCalls: 6,
    // From 1,200 to 3,000 ms two answers came that were still wanted; the service can do 18 then.
    matchingUsefulShare: 2 / 18,
    longestQueue: 3,
    riders: 3,
    ridersServed: 2,
    waitedP50Ms: (waits[0]! + waits[1]!) / 2,
    waitedP95Ms: expect.closeTo(50 + 0.95 * 800, 9),
    overAdmitted: 0,
    redisCalls: 7,
  });
});

test("the figures of a run in which nothing happened are finite", () => {
  expect(Object.values(measure(runOf([]))).every(Number.isFinite)).toBe(true);
});

test("seconds are those in which requests were meant to be sent", () => {
  expect(secondsOf(runOf(MADE))).toEqual([
    { allowed: 1, denied: 0, failed: 0, waiting: 0 },
    { allowed: 3, denied: 1, failed: 0, waiting: 3 },
    { allowed: 0, denied: 1, failed: 0, waiting: 3 },
    { allowed: 0, denied: 0, failed: 2, waiting: 1 },
  ]);
});

describe("the units beyond a policy", () => {
  const promise: Promised = {
    bucket: { limit: 1, refillPerMs: 1 / 1_000 },
    partitionOf: ({ person }) => `${person}`,
  };
  const over = (...made: readonly Made[]) => measure(runOf(made, [promise])).overAdmitted;
  const passed = (atMs: number, person: number, more: Partial<Made> = {}): Made => ({
    atMs,
    person,
    tookMs: 20,
    status: 200,
    arrivedMs: 10,
    ...more,
  });

  test("are counted for each partition by itself", () => {
    expect(over(passed(0, 0), passed(0, 1), passed(1_000, 0))).toBe(0);
    expect(over(passed(0, 0), passed(100, 0), passed(0, 1), passed(100, 1))).toBe(2);
  });

  test("are of the requests that arrived, with any answer, and of no others", () => {
    const { arrivedMs: _, ...denied } = passed(100, 0, { status: 429 });
    expect(over(passed(0, 0), denied)).toBe(0);
    expect(over(passed(0, 0), passed(100, 0, { status: 503 }))).toBe(1);
  });

  test("leave room for the time from sending to arriving", () => {
    expect(over(passed(0, 0), passed(995, 0, { arrivedMs: 5 }))).toBe(0);
    expect(over(passed(0, 0), passed(994, 0, { arrivedMs: 5 }))).toBe(1);
  });
});
