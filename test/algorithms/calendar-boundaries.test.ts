import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";

import { boundariesAround } from "../../src/algorithms/calendar-boundaries.ts";
import { follow } from "../../src/algorithms/calendar-definition.ts";
import type { CalendarUnit } from "../../src/algorithms/calendar-units.ts";
import { openZone } from "../../src/algorithms/calendar-zone.ts";
import { expectedOf, KNOWN, windowOf } from "../support/calendar/known.ts";
import { FACTOR } from "../support/runs.ts";
import { boundariesByDate, changes, hourByDate } from "./date-model.ts";
import { ZONES } from "./zones.ts";

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

/** One has skipped a day. */
const SOME_ZONES = ["Europe/Berlin", "America/New_York", "Asia/Amman", "Pacific/Apia"];

/** The figures of a thorough run. */
function say(what: string, different: readonly unknown[]): void {
  if (isThorough) console.log(`${what}: ${different.length} differences`);
}

const WINDOWS: readonly (readonly [Exclude<CalendarUnit, "hour">, number])[] = [
  ["month", 1],
  ["month", 30],
  ["week", 6],
  ["day", 0],
];

/** What `npm run test:zones` compares: each day of a month and of a week, and days that begin in the night and at noon. */
const EVERY_WINDOW: typeof WINDOWS = [
  ...[1, 2, 15, 28, 29, 30, 31].map((anchor) => ["month", anchor] as const),
  ...[1, 2, 3, 4, 5, 6, 7].map((anchor) => ["week", anchor] as const),
  ...[0, 1, 60, 119, 120, 150, 179, 180, 720, 1439].map((anchor) => ["day", anchor] as const),
];

const isThorough = FACTOR >= 10;

describe.each([
  [2008, ZONES, isThorough ? EVERY_WINDOW : WINDOWS],
  isThorough
    ? [2026, ZONES, EVERY_WINDOW]
    : // Also with days that begin at 2:30.
      [2026, ZONES.filter((_, i) => i % 4 === 1), [...WINDOWS, ["day", 150] as const]],
] as [number, typeof ZONES, typeof WINDOWS][])("ten years from %i on", (year, zones, windows) => {
  const [fromMs, untilMs] = [Date.UTC(year, 0, 10), Date.UTC(year + 10, 0, 1)];
  const modelOf = (unit: (typeof WINDOWS)[number][0], anchor: number) =>
    boundariesByDate(unit, anchor, year, year + 11).filter(
      (boundary) => boundary >= fromMs && boundary < untilMs,
    );

  test("months, weeks and days begin where the model has them begin", () => {
    const different: unknown[] = [];
    let compared = 0;
    for (const timeZone of zones) {
      process.env["TZ"] = timeZone;
      for (const [unit, anchor] of windows) {
        const own = boundariesOf(calendar(timeZone, unit, anchor), fromMs, untilMs);
        const model = modelOf(unit, anchor);
        compared += model.length;
        const at = model.findIndex((boundary, i) => boundary !== own[i]);
        if (at >= 0 || own.length !== model.length) {
          different.push({ timeZone, unit, anchor, own: own[at], model: model[at] });
        }
      }
    }
    say(`${year}: ${compared} boundaries of ${zones.length} zones`, different);
    expect(different).toEqual([]);
    // Days, weeks and months of ten years.
    expect(compared).toBeGreaterThan(4_000 * zones.length);
  });

  test("an isolate that lives through them has the window of each moment, and the lengths of those beside it", () => {
    const renewals: (() => void)[] = [];
    vi.stubGlobal("setTimeout", (renew: () => void) => void renewals.push(renew));
    onTestFinished(() => void vi.unstubAllGlobals());
    const different: unknown[] = [];
    let compared = 0;
    for (const timeZone of isThorough ? zones : SOME_ZONES) {
      process.env["TZ"] = timeZone;
      for (const [unit, anchor] of windows) {
        const model = modelOf(unit, anchor);
        let nowMs = model[1]!;
        const windowOfNow = follow(calendar(timeZone, unit, anchor), () => nowMs);
        for (let i = 1; i + 2 < model.length; i++) {
          const [starts, ends, next] = model.slice(i, i + 3) as [number, number, number];
          for (nowMs of [starts, starts + 1, ends - 1]) {
            const own = windowOfNow();
            for (const renew of renewals.splice(0)) renew();
            const [startsUs, endsUs] = [starts * 1000, ends * 1000];
            const model = { startsUs, endsUs, followingUs: (next - ends) * 1000 };
            compared++;
            if (JSON.stringify(own) !== JSON.stringify(model)) {
              different.push({ timeZone, unit, anchor, nowMs, own, model });
            }
          }
        }
      }
    }
    say(`${year}: ${compared} moments in isolates that live for ten years`, different);
    expect(different).toEqual([]);
    expect(compared).toBeGreaterThan(40_000);
  });

  test("hours have 3,600 s, but for those that a change by half an hour cuts", () => {
    const different: unknown[] = [];
    let compared = 0;
    for (const timeZone of zones) {
      process.env["TZ"] = timeZone;
      for (const minute of isThorough ? [0, 15, 30, 40, 59] : [0, 40]) {
        const asked = calendar(timeZone, "hour", minute);
        for (const day of changes(year, year + 10)) {
          const list = boundariesAround(asked, day);
          for (let at = day; at < day + 26 * HOUR_MS; at += 600_000) {
            compared++;
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
    say(`${year}: ${compared} moments around changes of the clocks in hours`, different);
    expect(different).toEqual([]);
  });
});

test("there are forty zones", () => expect(new Set(ZONES).size).toBe(40));

test.for(KNOWN)("%s has a %s (%i) from %s to %s", (known) => {
  expect(windowOf(known)).toEqual(expectedOf(known));
});

test("of two months of 31 days, the last moment of the second knows when the first began", () => {
  const [before] = boundariesAround(calendar("UTC", "month", 1), Date.UTC(2026, 8, 1) - 1);
  expect(before).toBe(Date.UTC(2026, 6, 1));
});

test("the day after one that a zone has skipped knows when the day before that one began", () => {
  const apia = calendar("Pacific/Apia", "day", 0);
  const [before, begins] = boundariesAround(apia, Date.UTC(2011, 11, 30, 12));
  expect([before, begins]).toEqual([Date.UTC(2011, 11, 29, 10), Date.UTC(2011, 11, 30, 10)]);
});
