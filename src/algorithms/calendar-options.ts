import type { Faults } from "../options/faults.ts";
import {
  ANCHOR_DAY,
  ANCHOR_MOMENT,
  CALENDAR_ONLY,
  CALENDAR_UNIT,
  TIME_ZONE,
  UNALIGNED_CALENDAR,
} from "../options/messages.ts";
import { parseMoment } from "../options/moment.ts";
import type { Calendar } from "./calendar-boundaries.ts";
import { CALENDAR_UNITS, type CalendarUnit } from "./calendar-units.ts";
import { openZone, type Zone } from "./calendar-zone.ts";
import type { CommonOptions } from "./common-options.ts";

export interface CalendarOptions extends CommonOptions {
  /** Units per window. Range: 1 to 9,007,199,254,740,991. */
  readonly limit: number;
  /**
   * A window of the calendar: a month, a week, a day or an hour of the time zone. A day has 23 or 25 hours where the clocks
   * change, and begins with its first moment that exists; an hour has 3,600 s.
   */
  readonly window: CalendarUnit;
  /**
   * The time zone, by its name in the IANA data, such as `"Europe/Berlin"`. If it changes, units of the current window
   * count in the current window of the new zone. Default: `"UTC"`.
   */
  readonly timeZone?: string;
  /**
   * The start of each window. For months it is the day, and 29 to 31 mean the last day of a month that has fewer; for weeks it is the ISO
   * day of the week, where 1 is Monday. Or a moment, such as when a subscription began, as milliseconds since 1970, a `Date` or
   * a text of ISO 8601 with a zone, such as `"2026-03-15T10:30:00Z"`: each window begins with the day of the month, the day
   * of the week, the hour and minute of a day or the minute of an hour that the clocks of the time zone show at that moment.
   * If it changes, units of the current window count in the current window of the new calendar.
   * Range: 1 to 31 for months, 1 to 7 for weeks, a moment for all. Default: the first day, Monday, midnight, the full hour.
   *
   * @example
   * fixedWindow({ limit: 100_000, window: "month", timeZone: "America/New_York", anchor: 15 })
   */
  readonly anchor?: number | string | Date;
}

const HOUR_US = 3600e6;

/** The longest that each window is, but for the hours by which clocks change. */
export const WINDOW_US: Readonly<Record<CalendarUnit, number>> = {
  hour: HOUR_US,
  day: 24 * HOUR_US,
  week: 7 * 24 * HOUR_US,
  month: 31 * 24 * HOUR_US,
};

/** The greatest number that is a day; of days and hours only moments are anchors. */
const LAST_DAY = { month: 31, week: 7, day: 0, hour: 0 } as const;

const FIRST = { month: 1, week: 1, day: 0, hour: 0 } as const;

const isUnit = (window: unknown): window is CalendarUnit =>
  (CALENDAR_UNITS as readonly unknown[]).includes(window);

/** The options of a fixed window that are those of a calendar. */
interface Given {
  readonly window?: unknown;
  readonly timeZone?: unknown;
  readonly anchor?: unknown;
  readonly aligned?: unknown;
}

/** Whether a fixed window's options are those of a calendar, in part or with faults. */
export function namesCalendar({ window, timeZone, anchor }: Given): boolean {
  return isUnit(window) || timeZone !== undefined || anchor !== undefined;
}

/** "1 month" is not one: no unit of a duration has three letters. */
const LIKE_DURATION = /^[^a-z]*\d[^a-z]*[a-z]{0,2}$/i;

/** No plan makes a length of a calendar's window, whatever else it changes. */
export function refusesLength({ window }: Given, path: string, faults: Faults): boolean {
  if (window === undefined || isUnit(window)) return false;
  faults.add(`${path}.window`, window, CALENDAR_UNIT);
  return true;
}

/** Checks the options of a calendar's window; `undefined` after a fault. */
export function readCalendar(
  { window, timeZone, anchor, aligned = true }: Given,
  path: string,
  faults: Faults,
): Calendar | undefined {
  const before = faults.list.length;
  if (!isUnit(window)) {
    const isDuration = typeof window === "string" && LIKE_DURATION.test(window);
    if (!isDuration || !namesCalendar({ timeZone, anchor })) {
      faults.add(`${path}.window`, window, CALENDAR_UNIT);
    } else if (anchor !== undefined) faults.add(`${path}.anchor`, anchor, CALENDAR_ONLY);
    else faults.add(`${path}.timeZone`, timeZone, CALENDAR_ONLY);
    return undefined;
  }
  if (aligned !== true) faults.add(`${path}.aligned`, aligned, UNALIGNED_CALENDAR);
  const zone = openZone(timeZone === undefined ? "UTC" : timeZone);
  if (!zone) faults.add(`${path}.timeZone`, timeZone, TIME_ZONE);
  const start = anchor === undefined ? FIRST[window] : anchorIn(window, anchor, zone);
  if (start === undefined) {
    const kind = LAST_DAY[window] > 0 ? ANCHOR_DAY : ANCHOR_MOMENT;
    faults.add(`${path}.anchor`, anchor, kind, { unit: window, last: LAST_DAY[window] });
  }
  if (faults.list.length > before) return undefined;
  return { unit: window, zone: zone!, anchor: start! };
}

/** The anchor as a calendar has it; `undefined` if the value is not an anchor. Without a zone, any number is an anchor. */
function anchorIn(unit: CalendarUnit, anchor: unknown, zone: Zone | undefined): number | undefined {
  if (Number.isInteger(anchor) && (anchor as number) >= 1 && (anchor as number) <= LAST_DAY[unit]) {
    return anchor as number;
  }
  const ms = parseMoment(anchor instanceof Date ? anchor.getTime() : anchor);
  if (ms === undefined) return undefined;
  const local = new Date(zone?.localAt(ms) ?? ms);
  if (unit === "month") return local.getUTCDate();
  if (unit === "week") return local.getUTCDay() || 7;
  return (unit === "day" ? local.getUTCHours() * 60 : 0) + local.getUTCMinutes();
}
