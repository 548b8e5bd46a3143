import fc from "fast-check";
import { expect, test } from "vitest";

import { storeOver } from "../../src/store/memory-store.ts";
import { createMemory } from "../../src/store/memory.ts";
import { FUTURE } from "../support/algorithm-script.ts";
import { compileAt } from "../support/calendar/compile.ts";
import { fixedWindow } from "../support/limiter/plain.ts";
import { storeWithClock } from "../support/redis-with-clock.ts";
import { least, runs } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";
import { question, unitsOf } from "./question.ts";

const redis = testRedis();

const HOUR_US = 3600e6;

/** Redis and memory, both with a clock that stands. */
const storesAt = (now: number) => [
  storeWithClock(redis, () => now),
  storeOver(createMemory(), () => now),
];

/** Within a run isolates have other data about the calendar: the boundaries of other zones stand for them. */
const windows = fc.constantFrom(
  { window: "hour" },
  { window: "hour", timeZone: "Asia/Kathmandu" },
  { window: "day", timeZone: "Europe/Berlin" },
  // Near those of Berlin.
  { window: "day", timeZone: "Europe/London" },
  { window: "day" },
  { window: "day", timeZone: "America/New_York", anchor: "2026-03-15T10:30:00Z" },
  { window: "week", anchor: 4 },
  { window: "month", anchor: 31 },
  { window: "month", anchor: 31, timeZone: "Asia/Tokyo" },
);

const step = fc.record({
  gapHours: fc.oneof(
    { weight: 6, arbitrary: fc.double({ min: 0, max: 0.4, noNaN: true }) },
    { weight: 2, arbitrary: fc.constantFrom(0, 1, 24, 24 * 31) },
    { weight: 1, arbitrary: fc.double({ min: -3, max: 0, noNaN: true }) },
  ),
  /** To a boundary of hours, so that something falls on one. */
  isAtBoundary: fc.boolean(),
  ...question,
  givesBack: fc.option(fc.integer({ min: 1, max: 3 }), { freq: 4, nil: undefined }),
  /** How far the isolate's clock is ahead of the store's. */
  skewHours: fc.option(fc.constantFrom(0, 0.5, -0.5, 1, -1, 2.5, -40, 40), {
    freq: 4,
    nil: undefined,
  }),
  window: fc.option(windows, { freq: 10, nil: undefined }),
});

test("calendar-window in Lua agrees with its model, under any clocks and calendars", async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(
      windows,
      fc.integer({ min: 1, max: 9 }),
      fc.array(step, { minLength: 10, maxLength: 60, size: "max" }),
      async (first, limit, steps) => {
        const key = `calendar:{${crypto.randomUUID()}}`;
        let now = FUTURE + 100 * 24 * HOUR_US;
        let skewUs = 0;
        const inRedis = storeWithClock(redis, () => now);
        const inMemory = storeOver(createMemory(), () => now);
        const policiesOf = (window: typeof first) =>
          compileAt(
            () => now + skewUs,
            fixedWindow({ name: "c", limit, ...window } as Parameters<typeof fixedWindow>[0]),
          );
        let policies = policiesOf(first);
        let taken = now;
        for (const each of steps) {
          now = Math.max(FUTURE, now + Math.round(each.gapHours * HOUR_US));
          if (each.isAtBoundary) now += HOUR_US - (now % HOUR_US) + each.nudge;
          if (each.skewHours !== undefined) skewUs = each.skewHours * HOUR_US;
          if (each.window) policies = policiesOf(each.window);
          const costs = [unitsOf(each.operation, each.cost, limit)];
          const asked = await inRedis.decide(each.operation, [key], costs, policies);
          expect(asked).toEqual(inMemory.decide(each.operation, [key], costs, policies));
          if (each.givesBack !== undefined) {
            const back = [[key], [each.givesBack], policies, { nowUs: taken }] as const;
            expect(await inRedis.refund!(...back)).toEqual(inMemory.refund(...back));
          }
          if (asked.rows[0]!.allowed) taken = now;
          compared++;
        }
      },
    ),
    { numRuns: runs(20) },
  );
  expect(compared).toBeGreaterThan(least(200));
});

test("a clock of Redis that goes back behind a boundary leaves the window after it as it is", async () => {
  const key = `calendar:{${crypto.randomUUID()}}`;
  const boundary = FUTURE - (FUTURE % HOUR_US) + HOUR_US;
  let now = boundary;
  const policies = compileAt(() => now, fixedWindow({ name: "c", limit: 5, window: "hour" }));
  const store = storeWithClock(redis, () => now);
  const kept = async () => [await redis.getBuffer(key), await redis.pexpiretime(key)];
  await store.decide("consume", [key], [5], policies);
  const before = await kept();
  now = boundary - 1e6;
  const { rows } = await store.decide("consume", [key], [1], policies);
  expect(rows).toMatchObject([{ allowed: false, retryAfterUs: HOUR_US + 1e6 }]);
  expect(await kept()).toEqual(before);
});

test("a day that another isolate has ended an hour earlier is not begun again", async () => {
  const key = `calendar:{${crypto.randomUUID()}}`;
  const dayUs = 24 * HOUR_US;
  const midnight = FUTURE - (FUTURE % dayUs) + dayUs;
  let now = midnight - 3 * HOUR_US;
  const store = storeWithClock(redis, () => now);
  const [late, early] = ["Etc/GMT", "Etc/GMT-1"].map((timeZone) =>
    compileAt(() => now, fixedWindow({ name: "c", limit: 5, window: "day", timeZone })),
  );
  const consume = async (policies: typeof late, cost = 1) =>
    (await store.decide("consume", [key], [cost], policies!)).rows[0]!;
  const keptUntil = async () => (await redis.pexpiretime(key)) * 1000;
  expect(await consume(early)).toMatchObject({ remaining: 4, resetAfterUs: 2 * HOUR_US });
  // Until all isolates have begun the next day: three hours are near.
  expect(await keptUntil()).toBe(midnight - HOUR_US + 3 * HOUR_US + 1000);
  // The other isolate goes on in the next day, and begins none of its own for the hour until midnight.
  now = midnight - HOUR_US / 2;
  const ends = dayUs + HOUR_US / 2;
  expect(await consume(late, 5)).toMatchObject({ allowed: true, resetAfterUs: ends });
  now = midnight + HOUR_US;
  expect((await consume(early)).allowed).toBe(false);
  expect((await consume(late)).allowed).toBe(false);
});

test("a month that begins for one of two isolates first has its own length", async () => {
  const key = `calendar:{${crypto.randomUUID()}}`;
  const year = new Date(FUTURE / 1000).getUTCFullYear() + 1;
  const [april, may] = [3, 4].map((month) => Date.UTC(year, month) * 1000);
  let now = april! - 3 * HOUR_US;
  const [late, early] = ["Etc/GMT", "Etc/GMT-1"].map((timeZone) =>
    compileAt(() => now, fixedWindow({ name: "c", limit: 5, window: "month", timeZone })),
  );
  for (const store of [storeWithClock(redis, () => now), storeOver(createMemory(), () => now)]) {
    now = april! - 3 * HOUR_US;
    await store.decide("consume", [key], [1], early!);
    now = april! - HOUR_US / 2;
    const { rows } = await store.decide("consume", [key], [1], late!);
    expect(rows).toMatchObject([{ remaining: 4, resetAfterUs: may! - now }]);
  }
});

test("an isolate that is two windows behind begins a window of the last length, at the boundary, too", async () => {
  const key = `calendar:{${crypto.randomUUID()}}`;
  const now = FUTURE - (FUTURE % HOUR_US) + 2 * HOUR_US;
  const hourly = fixedWindow({ name: "c", limit: 5, window: "hour" });
  const policies = compileAt(() => now - 2 * HOUR_US, hourly);
  for (const store of storesAt(now)) {
    const { rows } = await store.decide("consume", [key], [1], policies);
    expect(rows).toMatchObject([{ resetAfterUs: HOUR_US }]);
  }
});

test.for([
  // Later than a wrong clock and other data allow together: it ends with the hour that is now.
  [2 * HOUR_US + HOUR_US / 8 + 1, HOUR_US],
  [2 * HOUR_US + HOUR_US / 8, 2 * HOUR_US + HOUR_US / 8],
])("a window that ends in %i us ends in %i us", async ([endsUs, resetAfterUs]) => {
  const key = `calendar:{${crypto.randomUUID()}}`;
  const now = FUTURE - (FUTURE % HOUR_US) + HOUR_US;
  const hourly = fixedWindow({ name: "c", limit: 5, window: "hour" });
  const policies = compileAt(() => now, hourly);
  const bytes = (number: number) => number.toString(16).padStart(14, "0");
  const state = bytes(now - 1) + bytes(now + endsUs!) + bytes(3);
  await redis.set(key, Buffer.from(state, "hex"));
  const store = storeWithClock(redis, () => now);
  const { rows } = await store.decide("consume", [key], [1], policies);
  expect(rows).toMatchObject([{ remaining: 1, resetAfterUs }]);
});

test("no unit comes back that was taken before the window began, whichever isolate began it", async () => {
  const key = `calendar:{${crypto.randomUUID()}}`;
  const begin = FUTURE - (FUTURE % HOUR_US);
  let now = begin + HOUR_US / 2;
  const policies = compileAt(() => now, fixedWindow({ name: "c", limit: 5, window: "hour" }));
  const store = storeWithClock(redis, () => now);
  await store.decide("consume", [key], [3], policies);
  const giveBack = (nowUs: number) => store.refund!([key], [1], policies, { nowUs });
  expect(await giveBack(begin + HOUR_US / 2 - 1)).toEqual([0]);
  expect(await giveBack(begin + HOUR_US / 2)).toEqual([1]);
  now = begin + HOUR_US;
  expect(await giveBack(begin + HOUR_US / 2)).toEqual([0]);
});

test("units of April end with April, also for an isolate that is still in March", async () => {
  const key = `calendar:{${crypto.randomUUID()}}`;
  const year = new Date(FUTURE / 1000).getUTCFullYear() + 1;
  const now = Date.UTC(year, 3, 1, 1) * 1000;
  const monthly = fixedWindow({ name: "c", limit: 5, window: "month" });
  const policies = compileAt(() => now - 2 * HOUR_US, monthly);
  for (const store of storesAt(now)) {
    const { rows } = await store.decide("consume", [key], [1], policies);
    expect(rows).toMatchObject([{ resetAfterUs: Date.UTC(year, 4, 1) * 1000 - now }]);
  }
});

test("a charge under a limit that is lower now forgets nothing that was taken before", async () => {
  const key = `calendar:{${crypto.randomUUID()}}`;
  const now = FUTURE;
  const limitOf = (limit: number) =>
    compileAt(() => now, fixedWindow({ name: "c", limit, window: "hour" }));
  for (const store of storesAt(now)) {
    await store.decide("charge", [key], [9], limitOf(10));
    await store.decide("charge", [key], [1], limitOf(1));
    const { rows } = await store.decide("peek", [key], [1], limitOf(10));
    expect(rows).toMatchObject([{ allowed: false, remaining: 0 }]);
    expect(await store.refund!([key], [1], limitOf(10), { nowUs: now })).toEqual([1]);
  }
});

test("a key outlives its month by as far as two isolates may see the boundary apart", async () => {
  const key = `calendar:{${crypto.randomUUID()}}`;
  const now = Date.now() * 1000;
  const [policy] = compileAt(() => now, fixedWindow({ name: "c", limit: 1, window: "month" }));
  const store = storeWithClock(redis, () => now);
  const { rows } = await store.decide("consume", [key], [1], [policy!]);
  const endsUs = now + rows[0]!.resetAfterUs;
  expect(await redis.pexpiretime(key)).toBe(endsUs / 1000 + 14 * 3_600_000 + 1);
});
