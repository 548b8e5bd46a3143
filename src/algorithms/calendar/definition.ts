import type { Faults } from "../../options/faults.ts";
import { defineAlgorithm, MAX_UNITS, type PolicyOf } from "../algorithm.ts";
import type { CalendarParameters } from "../calendar-window.ts";
import { CALENDAR_WINDOW as script } from "../scripts.generated.ts";
import { partOfWindow } from "../window.ts";
import type { Calendar } from "./boundaries.ts";
import { follow } from "./current.ts";
import { type CalendarOptions, readCalendar, refusesLength, WINDOW_US } from "./options.ts";

/** A policy of `fixedWindow()` with a calendar's window, in a limiter that knows calendars. */
export type CalendarWindowPolicy = PolicyOf<"calendar-window", CalendarOptions>;

/** The key of the calendar in a policy's parameters, out of the way of their numbers. */
const CALENDAR = Symbol("calendar");

interface LiveParameters extends CalendarParameters {
  readonly [CALENDAR]: Calendar;
}

/** The numbers of the window of now, whenever they are read. The first one turns to it. */
function parametersOf(calendar: Calendar, nowMs: () => number): LiveParameters {
  const windowOfNow = follow(calendar, nowMs);
  let current = windowOfNow();
  return {
    get startsUs() {
      current = windowOfNow();
      return current.startsUs;
    },
    get endsUs() {
      return current.endsUs;
    },
    get followingUs() {
      return current.followingUs;
    },
    unused: 0,
    [CALENDAR]: calendar,
  };
}

/**
 * Calendar windows by an isolate's clock.
 *
 * @param nowMs the clock that says which window the isolate has the store count in, in milliseconds since 1970
 */
export const calendarWindowBy = (nowMs: () => number) =>
  defineAlgorithm<CalendarWindowPolicy, object, CalendarParameters>({
    name: "calendar-window",
    // That of the fixed window, which it is.
    code: "f",
    layout: 3,
    maxLimit: MAX_UNITS,
    options: {
      window: { kind: "own" },
      timeZone: { kind: "own" },
      anchor: { kind: "own" },
      aligned: { kind: "own" },
    } as object,
    refusesNumbers: refusesLength,
    nameParts: ({ window }) => [window],

    quotaOf(limit, _values, path: string, faults: Faults, policy) {
      const calendar = readCalendar(policy, path, faults);
      return calendar
        ? { limit, windowUs: WINDOW_US[calendar.unit], parameters: parametersOf(calendar, nowMs) }
        : { limit, windowUs: 1e6, parameters: { startsUs: 0, endsUs: 0, followingUs: 0 } };
    },
    parameters: ["unused", "unused"],
    meaning: ({ parameters }) => [nameOfCalendar(parameters)],
    live({ limit, parameters }) {
      // In this order: the first one turns to the window of now.
      const { startsUs, endsUs, followingUs } = parameters;
      const lengths = ((endsUs - startsUs) * 2 ** 22 + followingUs) / 1e6;
      return ["calendar-window", limit, endsUs, lengths].map(String);
    },

    // As it is: leased units expire with the window in which they were taken.
    lease: { tighten: (quota) => quota, maxUs: () => Infinity, endsWithWindow: true },
    partOf: partOfWindow,
    script,
  });

/** When a window of a calendar ends by the isolate's clock, and in which zone; `undefined` for other policies. */
export function renewalOf(
  parameters: Readonly<Record<string, number>>,
): { readonly atMs: number; readonly timeZone: string } | undefined {
  const { [CALENDAR]: calendar } = parameters as Partial<LiveParameters>;
  if (!calendar) return undefined;
  // In this order: the first one turns to the window of now.
  const { startsUs: _startsUs, endsUs } = parameters as LiveParameters;
  return { atMs: endsUs / 1000, timeZone: calendar.zone.name };
}

function nameOfCalendar(parameters: Readonly<Record<string, number>>): string {
  const { [CALENDAR]: calendar } = parameters as Partial<LiveParameters>;
  return calendar ? `${calendar.unit}/${calendar.zone.name}/${calendar.anchor}` : "";
}

/** By the clock of the isolate. */
export const CALENDAR_WINDOW = /* @__PURE__ */ calendarWindowBy(() => Date.now());
