import { boundariesAround } from "../../../src/algorithms/calendar-boundaries.ts";
import type { CalendarUnit } from "../../../src/algorithms/calendar-units.ts";
import { openZone } from "../../../src/algorithms/calendar-zone.ts";

type Known = readonly [
  zone: string,
  unit: CalendarUnit,
  anchor: number,
  from: string,
  until: string,
];

/** Windows as read from a calendar: zone, unit and anchor, and from when until when. */
export const KNOWN: readonly Known[] = [
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
];

/** The window of the table, by this runtime's data of time zones. */
export function windowOf([timeZone, unit, anchor, from, until]: Known) {
  const zone = openZone(timeZone)!;
  return [Date.parse(from), Date.parse(from) + 1, Date.parse(until) - 1].map((ms) =>
    boundariesAround({ unit, anchor, zone }, ms)
      .slice(1, 3)
      .map((boundary) => new Date(boundary).toISOString().replace(".000Z", "Z")),
  );
}

export const expectedOf = ([, , , from, until]: Known) =>
  Array.from({ length: 3 }, () => [from, until]);
