import type { CalendarUnit } from "./calendar-units.ts";
import type { Cover, Stretch, Zone } from "./calendar-zone.ts";

/** A calendar's windows: in which zone they are, and with which of its days or minutes each begins. */
export interface Calendar {
  readonly unit: CalendarUnit;
  readonly zone: Zone;
  /**
   * The start of a unit: a month begins on this day, from 1 to 31; a week on this ISO day, from 1 to 7; a day in this minute of the
   * day, and an hour in this minute of the hour, from 0.
   */
  readonly anchor: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** 1 January 1970 was a Thursday. */
const FIRST_WEEKDAY = 4;

/** As many as a list needs: of hours, those of ten days. */
const MOST = 256;

/**
 * The boundaries of windows, oldest first: at least the window before that of this moment, its own, the next, and as many
 * of those after it as fit. No two are the same.
 */
export function boundariesAround(calendar: Calendar, ms: number): readonly number[] {
  const cover = calendar.zone.around(ms);
  const found = calendar.unit === "hour" ? hours(calendar, cover, ms) : days(calendar, cover, ms);
  const current = found.findLastIndex((boundary) => boundary <= ms);
  return found.slice(current - 1, current - 1 + MOST);
}

/** The first moment at which the clocks show this local time; if they skip it, the first moment after. */
function firstMoment({ stretches, untilMs }: Cover, localMs: number): number | undefined {
  for (const [i, { fromMs, offsetMs }] of stretches.entries()) {
    const moment = Math.max(fromMs, localMs - offsetMs);
    if (moment < (stretches[i + 1]?.fromMs ?? untilMs)) return moment;
  }
  return undefined;
}

/** Windows that begin with a local time. */
function days(calendar: Calendar, cover: Cover, ms: number): number[] {
  const found: number[] = [];
  const { offsetMs } = cover.stretches.findLast(({ fromMs }) => fromMs <= ms)!;
  // The clocks may show a time before that with which the window began, and days may be skipped.
  let number = numberOf(calendar, ms + offsetMs) - 3;
  while (found.length < MOST + 3) {
    const boundary = firstMoment(cover, startOf(calendar, number++));
    if (boundary === undefined) break;
    // Days that the zone has skipped are no windows.
    if (boundary !== found.at(-1)) found.push(boundary);
  }
  return found;
}

/** Counts windows from 1970 on, by local time. */
function numberOf(calendar: Calendar, localMs: number): number {
  const { unit, anchor } = calendar;
  const day = Math.floor(localMs / DAY_MS);
  if (unit === "day") return Math.floor((localMs - anchor * MINUTE_MS) / DAY_MS);
  if (unit === "week") return Math.floor((day - anchor + FIRST_WEEKDAY) / 7);
  const date = new Date(localMs);
  const month = (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
  return localMs < startOf(calendar, month) ? month - 1 : month;
}

/** The local time with which a window begins. */
function startOf({ unit, anchor }: Calendar, number: number): number {
  if (unit === "day") return number * DAY_MS + anchor * MINUTE_MS;
  if (unit === "week") return (number * 7 + anchor - FIRST_WEEKDAY) * DAY_MS;
  const lastDay = new Date(Date.UTC(1970, number + 1, 0)).getUTCDate();
  return Date.UTC(1970, number, Math.min(anchor, lastDay));
}

/**
 * Hours of 3,600 s, on the grid of the offset. A change of the offset that is no whole number of hours moves the grid: one
 * hour is cut short there.
 */
function hours({ anchor }: Calendar, { stretches, untilMs }: Cover, ms: number): number[] {
  const found: number[] = [];
  const firstMs = ms - 3 * HOUR_MS;
  const endOf = (i: number) => stretches[i + 1]?.fromMs ?? untilMs;
  const first = stretches.findIndex((_: Stretch, i) => endOf(i) > firstMs);
  for (let i = first; i < stretches.length && found.length < MOST + 3; i++) {
    const { fromMs, offsetMs } = stretches[i]!;
    const startMs = Math.max(fromMs, firstMs);
    const past = (startMs + offsetMs - anchor * MINUTE_MS) % HOUR_MS;
    const isMoved = i > first && (offsetMs - stretches[i - 1]!.offsetMs) % HOUR_MS !== 0;
    if (past > 0 && isMoved) found.push(startMs);
    const lastMs = Math.min(endOf(i), startMs + (MOST + 3) * HOUR_MS);
    for (let at = startMs - past + (past > 0 ? HOUR_MS : 0); at < lastMs; at += HOUR_MS) {
      found.push(at);
    }
  }
  return found;
}
