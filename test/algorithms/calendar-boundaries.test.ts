import { afterAll, describe, expect, test } from "vitest";

import { boundariesAround, type CalendarUnit } from "../../src/algorithms/calendar/boundaries.ts";
import { openZone } from "../../src/algorithms/calendar/zone.ts";
import { boundariesByDate, changes, hourByDate } from "../support/calendar/date-model.ts";
import { ZONES } from "../support/calendar/zones.ts";

/* The boundaries of calendar windows beside a model that finds them by other means. */

const zoneOfTests = process.env["TZ"];

afterAll(() => {
  if (zoneOfTests === undefined) delete process.env["TZ"];
  else process.env["TZ"] = zoneOfTests;
});

const calendar = (timeZone: string, unit: CalendarUnit, anchor: number) => ({
  unit,
  anchor,
  zone: openZone(timeZone)!,
});

/** All boundaries of a span, as an isolate gets them that renews its list whenever it ends. */
function boundariesOf(
  asked: ReturnType<typeof calendar>,
  fromMs: number,
  untilMs: number,
): readonly number[] {
  const found = new Set<number>();
  for (let at = fromMs; at < untilMs;) {
    const list = boundariesAround(asked, at);
    if (list.length < 5 || list[1]! > at || at >= list[2]!) throw new Error(`${at}: ${list}`);
    for (const boundary of list) found.add(boundary);
    at = list.at(-2)!;
  }
  return [...found].filter((boundary) => boundary >= fromMs && boundary < untilMs);
}

const HOUR_MS = 3_600_000;

const WINDOWS: readonly [Exclude<CalendarUnit, "hour">, number][] = [
  ["month", 1],
  ["month", 30],
  ["week", 6],
  ["day", 0],
  ["day", 150],
];

describe.each([
  [2008, ZONES],
  [2026, ZONES.filter((_, i) => i % 4 === 1)],
])("ten years from %i on", (year, zones) => {
  const [fromMs, untilMs] = [Date.UTC(year, 0, 10), Date.UTC(year + 10, 0, 1)];

  test("months, weeks and days begin where the model has them begin", () => {
    for (const timeZone of zones) {
      process.env["TZ"] = timeZone;
      for (const [unit, anchor] of WINDOWS) {
        const own = boundariesOf(calendar(timeZone, unit, anchor), fromMs, untilMs);
        const model = boundariesByDate(unit, anchor, year, year + 11).filter(
          (boundary) => boundary >= fromMs && boundary < untilMs,
        );
        expect({ timeZone, unit, anchor, own }).toEqual({ timeZone, unit, anchor, own: model });
      }
    }
  });

  test("hours have 3,600 s, but for those that a change by half an hour cuts", () => {
    const different: unknown[] = [];
    for (const timeZone of zones) {
      process.env["TZ"] = timeZone;
      for (const minute of [0, 40]) {
        const asked = calendar(timeZone, "hour", minute);
        for (const day of changes(year, year + 10)) {
          const list = boundariesAround(asked, day);
          for (let at = day; at < day + 26 * HOUR_MS; at += 600_000) {
            const index = list.findLastIndex((boundary) => boundary <= at);
            const [start, next] = [list[index]!, list[index + 1]!];
            const whole = hourByDate(at, minute);
            const isCut = start !== whole || next !== whole + HOUR_MS;
            // A cut hour ends or begins where the hours before it and after it are on different grids.
            const isMoved = (list[index + 2]! - list[index - 1]!) % HOUR_MS !== 0;
            const isWithin = start >= whole && next <= whole + HOUR_MS;
            if (!isWithin || (isCut && !isMoved)) different.push({ timeZone, minute, at });
          }
        }
      }
    }
    expect(different).toEqual([]);
  });
});

test("there are forty zones", () => expect(new Set(ZONES).size).toBe(40));

test.each([
  // Kwajalein skipped 21 August 1993, Apia 30 December 2011.
  ["Pacific/Kwajalein", "day", 0, "1993-08-20T12:00:00Z", "1993-08-21T12:00:00Z"],
  ["Pacific/Apia", "day", 0, "2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z"],
  // In St. John's, clocks went from 00:01 to 23:01: the day had begun a minute before.
  ["America/St_Johns", "day", 0, "2011-11-06T02:30:00Z", "2011-11-07T03:30:00Z"],
  // Midnight did not exist in Beirut: the day began at one.
  ["Asia/Beirut", "day", 0, "2024-03-30T22:00:00Z", "2024-03-31T21:00:00Z"],
  // A day of 23 hours, and one of 25.
  ["Europe/Berlin", "day", 0, "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"],
  ["Europe/Berlin", "day", 0, "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"],
  // 2:30 did not exist.
  ["Europe/Berlin", "day", 150, "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"],
  ["UTC", "month", 31, "2028-02-29T00:00:00Z", "2028-03-31T00:00:00Z"],
  ["UTC", "month", 29, "2027-02-28T00:00:00Z", "2027-03-29T00:00:00Z"],
  ["UTC", "month", 31, "2100-02-28T00:00:00Z", "2100-03-31T00:00:00Z"],
  ["Asia/Kathmandu", "hour", 0, "2026-05-01T00:15:00Z", "2026-05-01T01:15:00Z"],
  ["Asia/Tokyo", "week", 1, "2026-11-22T15:00:00Z", "2026-11-29T15:00:00Z"],
  // Half an hour is left after the clocks of Lord Howe went from 2:00 to 1:30.
  ["Australia/Lord_Howe", "hour", 0, "2026-04-04T15:00:00Z", "2026-04-04T15:30:00Z"],
] as const)("%s has a %s (%i) from %s to %s", (timeZone, unit, anchor, from, until) => {
  const [fromMs, untilMs] = [Date.parse(from), Date.parse(until)];
  for (const at of [fromMs, fromMs + 1, untilMs - 1]) {
    const list = boundariesAround(calendar(timeZone, unit, anchor), at);
    expect(list.slice(1, 3).map((ms) => new Date(ms).toISOString())).toEqual(
      [fromMs, untilMs].map((ms) => new Date(ms).toISOString()),
    );
  }
});
