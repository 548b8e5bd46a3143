import fc from "fast-check";
import { expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { storeOver } from "../../src/store/memory-store.ts";
import { createMemory } from "../../src/store/memory.ts";
import { FUTURE } from "../support/algorithm-script.ts";
import { compileAt } from "../support/calendar/compile.ts";
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

/** Within a run a policy gets other calendars, fixed lengths, and windows that begin with a request. */
const windows = fc.constantFrom(
  { window: "hour" },
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
  { window: "1h" },
  { window: "1d", aligned: false },
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

test("a key that two calendars share is kept until the later boundary, and no longer once they agree", async () => {
  const key = `calendar:{${crypto.randomUUID()}}`;
  const dayUs = 24 * HOUR_US;
  const midnight = FUTURE - (FUTURE % dayUs) + dayUs;
  let now = midnight - 3 * HOUR_US;
  const store = storeWithClock(redis, () => now);
  const [late, early] = ["Etc/GMT", "Etc/GMT-1"].map((timeZone) =>
    compileAt(() => now, fixedWindow({ name: "c", limit: 5, window: "day", timeZone })),
  );
  const consume = (policies: typeof late, cost = 1) =>
    store.decide("consume", [key], [cost], policies!);
  const keptUntil = async () => (await redis.pexpiretime(key)) * 1000;
  await consume(late);
  expect(await keptUntil()).toBe(midnight + 1000);
  await consume(early);
  // Three hours are near.
  expect(await keptUntil()).toBe(midnight + 2 * HOUR_US + 1000);
  // One has ended its day. The other goes on in the next one, and begins none of its own.
  now = midnight - HOUR_US / 2;
  expect((await consume(late, 5)).rows).toMatchObject([
    { allowed: true, resetAfterUs: dayUs + HOUR_US / 2 },
  ]);
  expect(await keptUntil()).toBe(midnight + dayUs + 3 * HOUR_US + 1000);
  now = midnight + HOUR_US;
  expect((await consume(early)).rows).toMatchObject([{ allowed: false }]);
  expect((await consume(late)).rows).toMatchObject([{ allowed: false }]);
  now = midnight + dayUs;
  await consume(late);
  expect(await keptUntil()).toBe(midnight + 2 * dayUs + 1000);
});

test("a month that begins for one of two calendars first has its own length", async () => {
  const key = `calendar:{${crypto.randomUUID()}}`;
  const year = new Date(FUTURE / 1000).getUTCFullYear() + 1;
  const [april, may] = [3, 4].map((month) => Date.UTC(year, month) * 1000);
  let now = april! - 3 * HOUR_US;
  const [late, early] = ["Etc/GMT", "Etc/GMT-1"].map((timeZone) =>
    compileAt(() => now, fixedWindow({ name: "c", limit: 5, window: "month", timeZone })),
  );
  for (const store of [storeWithClock(redis, () => now), storeOver(createMemory(), () => now)]) {
    now = april! - 3 * HOUR_US;
    for (const policies of [late!, early!]) await store.decide("consume", [key], [1], policies);
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

test("an isolate that is a window ahead moves the count of another calendar, at the boundary, too", async () => {
  const key = `calendar:{${crypto.randomUUID()}}`;
  const now = FUTURE - (FUTURE % HOUR_US) + 2 * HOUR_US;
  const hourly = { name: "c", limit: 5, window: "hour" } as const;
  const before = compileAt(() => now, fixedWindow({ ...hourly, timeZone: "Asia/Kathmandu" }));
  const after = compileAt(() => now + HOUR_US, fixedWindow(hourly));
  for (const store of storesAt(now)) {
    await store.decide("consume", [key], [1], before);
    const { rows } = await store.decide("consume", [key], [1], after);
    expect(rows).toMatchObject([{ remaining: 3, resetAfterUs: HOUR_US }]);
  }
});

test.for([
  // It still knows the window that begins now: it ends where its own begins.
  [0, HOUR_US],
  // A microsecond earlier it knows none, and leaves the window that counts.
  [-1, HOUR_US / 2],
])(
  "where an isolate is a window ahead, and Redis's clock %i us after its beginning, another window ends after %i us",
  async ([afterUs, resetAfterUs]) => {
    const key = `calendar:{${crypto.randomUUID()}}`;
    const now = FUTURE - (FUTURE % HOUR_US) + HOUR_US + afterUs!;
    const hourly = fixedWindow({ name: "c", limit: 5, window: "hour" });
    const policies = compileAt(() => now - afterUs! + HOUR_US, hourly);
    const ends = (now + HOUR_US / 2).toString(16).padStart(14, "0");
    // Its setting is that of calendars; no unit was cut off, and three are taken.
    const state = Buffer.from(`${ends}020000${"3".padStart(14, "0")}`, "hex");
    await redis.set(key, state);
    const store = storeWithClock(redis, () => now);
    const { rows } = await store.decide("consume", [key], [1], policies);
    expect(rows).toMatchObject([{ remaining: 1, resetAfterUs }]);
  },
);

test("of a window that another setting began only the end is known: no unit comes back, and it ends with that of the calendar", async () => {
  const key = `calendar:{${crypto.randomUUID()}}`;
  const begin = FUTURE - (FUTURE % HOUR_US);
  const now = begin + HOUR_US / 2;
  const policies = compileAt(() => now, fixedWindow({ name: "c", limit: 5, window: "hour" }));
  const store = storeWithClock(redis, () => now);
  const plant = (endsUs: number) => {
    const ends = endsUs.toString(16).padStart(14, "0");
    return redis.set(key, Buffer.from(`${ends}006400${"3".padStart(14, "0")}`, "hex"));
  };
  await plant(begin + HOUR_US);
  expect(await store.refund!([key], [1], policies, { nowUs: now })).toEqual([0]);
  await plant(begin + 2 * HOUR_US);
  const { rows } = await store.decide("consume", [key], [1], policies);
  expect(rows).toMatchObject([{ remaining: 1, resetAfterUs: HOUR_US / 2 }]);
  expect(await store.refund!([key], [1], policies, { nowUs: now })).toEqual([1]);
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
    expect(rows).toMatchObject([{ remaining: 1 }]);
    // It was cut off.
    expect(await store.refund!([key], [1], limitOf(10), { nowUs: now })).toEqual([0]);
  }
});

test("a key outlives the wait that it tells by a millisecond at most", async () => {
  const key = `calendar:{${crypto.randomUUID()}}`;
  const now = Date.now() * 1000;
  const [policy] = compileAt(() => now, fixedWindow({ name: "c", limit: 1, window: "month" }));
  const store = storeWithClock(redis, () => now);
  const { rows } = await store.decide("consume", [key], [1], [policy!]);
  const endsUs = now + rows[0]!.resetAfterUs;
  expect(await redis.pexpiretime(key)).toBe(endsUs / 1000 + 1);
});
