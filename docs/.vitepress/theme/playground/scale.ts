import { boundariesAround } from "../../../../src/algorithms/calendar-boundaries.ts";
import { CALENDAR_UNITS, type CalendarUnit } from "../../../../src/algorithms/calendar-units.ts";
import { openZone } from "../../../../src/algorithms/calendar-zone.ts";
import type { Model, Settings } from "./models.ts";

/** The time line, in milliseconds. It stands for thirty seconds, or for about three windows of a calendar. */
export const SPAN_MS = 30_000;
export const STEP_MS = 100;

export interface Tick {
  readonly atMs: number;
  readonly label: string;
}

/** The times that the time line stands for. */
export interface Scale {
  /** The moment with which it begins, in milliseconds since 1970. */
  readonly startMs: number;
  /** The milliseconds for which one millisecond of it stands. */
  readonly factor: number;
  /** The length of a window, in milliseconds of the time line, and its name. */
  readonly windowMs: number;
  readonly windowName: string;
  /** The unit of a burst's length, with its milliseconds. */
  readonly burstUnit: { readonly name: string; readonly ms: number };
  readonly ticks: readonly Tick[];
  /** A moment of the time line as people read it. */
  moment(atMs: number): string;
  /** A length of time, in the milliseconds that it stands for. */
  length(ms: number): string;
}

/** A window of the grid begins with the time line where its length divides a day. */
const START_MS = Date.UTC(2026, 0, 1);

const SECOND = { name: "seconds", ms: 1_000 };
const MINUTE = { name: "minutes", ms: 60_000 };
const HOUR = { name: "hours", ms: 3_600_000 };
const DAY = { name: "days", ms: 86_400_000 };

/** The nominal length of a window, what bursts are counted in, and how its boundaries are written. */
const CALENDARS: Readonly<
  Record<
    CalendarUnit,
    {
      readonly lengthMs: number;
      readonly burstUnit: Scale["burstUnit"];
      readonly tick: Intl.DateTimeFormatOptions;
    }
  >
> = {
  hour: { lengthMs: HOUR.ms, burstUnit: MINUTE, tick: { timeStyle: "short" } },
  day: { lengthMs: DAY.ms, burstUnit: HOUR, tick: { day: "numeric", month: "short" } },
  week: { lengthMs: 7 * DAY.ms, burstUnit: HOUR, tick: { day: "numeric", month: "short" } },
  month: { lengthMs: 30 * DAY.ms, burstUnit: DAY, tick: { day: "numeric", month: "short" } },
};

/** In Europe, the day after it has 25 hours. */
const AROUND_MS = Date.UTC(2026, 9, 24, 12);

const WINDOWS_SHOWN = 3;

export const UNITS = CALENDAR_UNITS;
export const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kolkata",
  "Australia/Sydney",
] as const;

export function scaleOf(model: Model, settings: Settings): Scale {
  return model.calendar ? calendarScale(settings) : secondsScale(settings);
}

function secondsScale({ window }: Settings): Scale {
  return {
    startMs: START_MS,
    factor: 1,
    windowMs: window * 1000,
    windowName: `${window} s`,
    burstUnit: SECOND,
    ticks: [0, 10, 20, 30].map((each) => ({ atMs: each * 1000, label: `${each} s` })),
    moment: seconds,
    length: seconds,
  };
}

function calendarScale({ unit, timeZone }: Settings): Scale {
  const { lengthMs, burstUnit, tick } = CALENDARS[unit];
  const zone = openZone(timeZone)!;
  const anchor = unit === "month" || unit === "week" ? 1 : 0;
  const boundaries = boundariesAround({ unit, zone, anchor }, AROUND_MS);
  const startMs = boundaries[1]!;
  const factor = (WINDOWS_SHOWN * lengthMs) / SPAN_MS;
  const written = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat("en-GB", { timeZone, ...options });
    return (ms: number) => format.format(ms);
  };
  const date = written({
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  });
  const boundary = written(tick);
  return {
    startMs,
    factor,
    windowMs: lengthMs / factor,
    windowName: `one ${unit}`,
    burstUnit,
    ticks: boundaries
      .map((ms) => ({ atMs: (ms - startMs) / factor, label: boundary(ms) }))
      .filter(({ atMs }) => atMs >= 0 && atMs <= SPAN_MS),
    moment: (atMs) => date(startMs + atMs * factor),
    length,
  };
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** Its two greatest units. */
function length(ms: number): string {
  const minutes = Math.ceil(ms / MINUTE.ms);
  const [days, hours, rest] = [
    Math.floor(minutes / 1440),
    Math.floor(minutes / 60) % 24,
    minutes % 60,
  ];
  if (days > 0) return `${days} d ${hours} h`;
  return hours > 0 ? `${hours} h ${rest} min` : `${rest} min`;
}
