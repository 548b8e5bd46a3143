import { afterAll, describe, expect, test } from "vitest";

import type { CalendarUnit } from "../../src/algorithms/calendar-units.ts";
import { boundariesAround } from "../../src/algorithms/calendar/boundaries.ts";
import { openZone } from "../../src/algorithms/calendar/zone.ts";
import { boundariesByDate, changes, hourByDate } from "../support/calendar/date-model.ts";
import { expectedOf, KNOWN, windowOf } from "../support/calendar/known.ts";
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

const WINDOWS: readonly (readonly [Exclude<CalendarUnit, "hour">, number])[] = [
  ["month", 1],
  ["month", 30],
  ["week", 6],
  ["day", 0],
];

describe.each([
  [2008, ZONES, WINDOWS],
  // Also with days that begin at 2:30.
  [2026, ZONES.filter((_, i) => i % 4 === 1), [...WINDOWS, ["day", 150] as const]],
])("ten years from %i on", (year, zones, windows) => {
  const [fromMs, untilMs] = [Date.UTC(year, 0, 10), Date.UTC(year + 10, 0, 1)];

  test("months, weeks and days begin where the model has them begin", () => {
    const different: unknown[] = [];
    let compared = 0;
    for (const timeZone of zones) {
      process.env["TZ"] = timeZone;
      for (const [unit, anchor] of windows) {
        const own = boundariesOf(calendar(timeZone, unit, anchor), fromMs, untilMs);
        const model = boundariesByDate(unit, anchor, year, year + 11).filter(
          (boundary) => boundary >= fromMs && boundary < untilMs,
        );
        compared += model.length;
        const at = model.findIndex((boundary, i) => boundary !== own[i]);
        if (at >= 0 || own.length !== model.length) {
          different.push({ timeZone, unit, anchor, own: own[at], model: model[at] });
        }
      }
    }
    expect(different).toEqual([]);
    // Days, weeks and months of ten years.
    expect(compared).toBeGreaterThan(4_000 * zones.length);
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

test.for(KNOWN)("%s has a %s (%i) from %s to %s", (known) => {
  expect(windowOf(known)).toEqual(expectedOf(known));
});
