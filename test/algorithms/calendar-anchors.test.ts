import { expect, test } from "vitest";

import { readCalendar } from "../../src/algorithms/calendar-options.ts";
import type { CalendarUnit } from "../../src/algorithms/calendar-units.ts";
import { Faults } from "../../src/options/faults.ts";
import { compileAt } from "../support/calendar/compile.ts";
import { fixedWindow } from "../support/limiter/plain.ts";

/* A moment as an anchor is its time on the clocks of the time zone. 15 March 2026 was a Sunday. */

test.each<[CalendarUnit, string, string | number | Date, number]>([
  ["month", "UTC", "2026-03-15T23:30:00Z", 15],
  ["month", "Asia/Tokyo", "2026-03-15T23:30:00Z", 16],
  ["month", "America/New_York", "2026-03-15T03:30:00Z", 14],
  ["month", "UTC", "2026-03-15T23:30:00-05:00", 16],
  ["month", "Asia/Tokyo", Date.UTC(2026, 2, 15, 23, 30), 16],
  ["month", "Asia/Tokyo", new Date("2026-03-15T23:30:00Z"), 16],
  ["month", "UTC", 31, 31],
  ["week", "UTC", "2026-03-15T10:30:00Z", 7],
  ["week", "Pacific/Auckland", "2026-03-15T12:30:00Z", 1],
  ["week", "Pacific/Honolulu", "2026-03-15T09:30:00Z", 6],
  ["week", "UTC", 7, 7],
  ["day", "America/New_York", "2026-03-15T10:30:00Z", 6 * 60 + 30],
  ["day", "Asia/Kathmandu", "2026-03-15T10:30:00Z", 16 * 60 + 15],
  ["hour", "Asia/Kathmandu", "2026-03-15T10:30:00Z", 15],
])("a %s of %s from %s on begins with %i", (window, timeZone, anchor, begins) => {
  const faults = new Faults();
  expect(readCalendar({ window, timeZone, anchor }, "p", faults)?.anchor).toBe(begins);
  expect(faults.list).toEqual([]);
});

test("denials that isolates share are those of one calendar, under any present window", () => {
  const namedBy = (moment: string, options: object) => {
    const policy = fixedWindow({ name: "c", limit: 1, window: "month", ...options });
    const nowUs = Date.parse(moment) * 1000;
    const { key, scriptArguments } = compileAt(() => nowUs, policy)[0]!;
    return String([key, scriptArguments]);
  };
  const own = namedBy("2026-03-15T00:00:00Z", {});
  expect(namedBy("2027-07-15T00:00:00Z", { anchor: 1, timeZone: "UTC" })).toBe(own);
  const others = [{ timeZone: "Asia/Tokyo" }, { anchor: 2 }, { window: "week" }];
  const all = [own, ...others.map((options) => namedBy("2026-03-15T00:00:00Z", options))];
  expect(new Set(all).size).toBe(4);
});
