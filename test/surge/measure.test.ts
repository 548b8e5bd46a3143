import { describe, expect, test } from "vitest";

import { measure, type Promised, secondsOf } from "../../bench/surge/figures/measure.ts";
import { survivedOf } from "../../bench/surge/scenes/redis-lost.ts";
import { BEGIN_MS, loadAt, type Made, madeRun, personOf } from "./made-run.ts";

/** Two riders and a script: the second rider's ride comes with the second tap, the third rider gets none. */
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
const LOADS = [loadAt(900, 1, 0), loadAt(1_900, 4, 3), loadAt(3_900, 6, 1)];

describe("the figures of a run", () => {
  const figures = measure(madeRun(PEOPLE, MADE, { loads: LOADS }));

  test("count every request once", () => {
    expect(figures).toMatchObject({ requests: 8, allowed: 4, denied: 2, failed: 2 });
  });

  test("count latency from when a person meant to ask", () => {
    expect(figures).toMatchObject({
      servedMeanMs: (50 + 1_000 + 150 + 200) / 4,
      servedP50Ms: 175,
      servedMaxMs: 1_000,
    });
  });

  test("tell denials of Redis from those of the isolate, without the driver's own latency", () => {
    expect(figures).toMatchObject({
      deniedByRedis: 1,
      deniedByIsolate: 1,
      deniedByRedisMeanMs: 10,
      deniedByIsolateMeanMs: 2,
      driverMs: 2,
    });
  });

  test("count the work of the matching service without a waiting caller", () => {
    // From 1,200 to 3,000 ms two answers came that were still wanted; the service can do 18 then.
    expect(figures).toMatchObject({
      matchingCalls: 6,
      matchingUseful: 3,
      matchingUsefulShare: 2 / 18,
      longestQueue: 3,
    });
  });

  test("count riders, and how long they waited over all requests that it took", () => {
    expect(figures).toMatchObject({ riders: 3, ridersServed: 2 });
    expect(figures.waitedP50Ms).toBe((50 + 850) / 2);
    expect(figures.redisCalls).toBe(7);
  });

  test("are finite for a run in which nothing happened", () => {
    expect(Object.values(measure(madeRun([], []))).every(Number.isFinite)).toBe(true);
  });
});

describe("the units beyond the policies", () => {
  const perPerson: Promised = {
    bucket: { limit: 1, refillPerMs: 1 / 1_000 },
    partitionOf: ({ person }) => `${person}`,
  };

  const over = (made: readonly Made[], promise = perPerson) =>
    measure(madeRun(PEOPLE, made, { promises: [promise] })).overAdmitted;

  const passed = (atMs: number, person: number): Made => ({
    atMs,
    person,
    tookMs: 20,
    status: 200,
    arrivedMs: 10,
  });

  test("is counted for each partition by itself", () => {
    expect(over([passed(0, 0), passed(0, 1), passed(1_000, 0)])).toBe(0);
    expect(over([passed(0, 0), passed(100, 0), passed(0, 1), passed(100, 1)])).toBe(2);
  });

  test("counts the requests that arrived, with any answer, and no others", () => {
    const { arrivedMs: _, ...denied } = passed(100, 0);
    expect(over([passed(0, 0), { ...denied, status: 429 }])).toBe(0);
    expect(over([passed(0, 0), { ...passed(100, 0), status: 503 }])).toBe(1);
  });

  test("leaves out requests that a policy does not count", () => {
    const nobody: Promised = { ...perPerson, partitionOf: () => undefined };
    expect(over([passed(0, 0), passed(0, 0)], nobody)).toBe(0);
  });

  test("allows for the time from sending to arriving", () => {
    expect(over([passed(0, 0), { ...passed(995, 0), arrivedMs: 5 }])).toBe(0);
    expect(over([passed(0, 0), { ...passed(994, 0), arrivedMs: 5 }])).toBe(1);
  });
});

test("seconds are those in which requests were meant to be sent", () => {
  const seconds = secondsOf(madeRun(PEOPLE, MADE, { loads: LOADS }));
  const none = { servedP50Ms: null, servedP99Ms: null };
  expect(seconds).toMatchObject([
    { second: 0, sent: 1, allowed: 1, denied: 0, failed: 0, servedP50Ms: 50, waiting: 0 },
    { second: 1, sent: 4, allowed: 3, denied: 1, failed: 0, servedP50Ms: 200, waiting: 3 },
    { second: 2, sent: 1, allowed: 0, denied: 1, failed: 0, ...none, waiting: 3 },
    { second: 3, sent: 2, allowed: 0, denied: 0, failed: 2, ...none, waiting: 1 },
  ]);
});

test("a lost Redis shows in who decided, and until when", () => {
  const alone = { withoutRedis: true };
  const made: readonly Made[] = [
    { atMs: 500, tookMs: 20, status: 200 },
    { atMs: 1_000, tookMs: 300, status: 200, ...alone },
    { atMs: 1_400, tookMs: 5, status: 500 },
    { atMs: 1_500, tookMs: 5, status: 429, ...alone },
    { atMs: 1_900, tookMs: 5, status: 503 },
    { atMs: 2_250, tookMs: 5, status: 200, ...alone },
    { atMs: 2_600, tookMs: 5, status: 200 },
  ];
  const survived = survivedOf(madeRun(PEOPLE, made), BEGIN_MS + 1_000, BEGIN_MS + 2_000);
  expect(survived).toMatchObject({
    requests: 7,
    duringLoss: {
      sent: 4,
      allowed: 1,
      denied: 1,
      failed: 2,
      failedByLimiter: 1,
      slowestMs: 300,
    },
    exactAgainMs: 250,
  });
  expect(survived.seconds.map(({ withoutRedis }) => withoutRedis)).toEqual([0, 3, 1, 0]);
});
