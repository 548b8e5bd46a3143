import type { Faults } from "../options/faults.ts";
import { defineAlgorithm, MAX_UNITS, type PolicyOf } from "./algorithm.ts";
import { boundariesAround, type Calendar } from "./calendar-boundaries.ts";
import {
  type CalendarOptions,
  readCalendar,
  refusesLength,
  WINDOW_US,
} from "./calendar-options.ts";
import type { CalendarParameters } from "./calendar-window.ts";
import { CALENDAR_WINDOW as script } from "./scripts.generated.ts";
import { partOfWindow } from "./window.ts";

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

/** The window of this moment in a list of boundaries that has the window after it, too. */
function windowIn(boundaries: readonly number[], ms: number): CalendarParameters | undefined {
  const at = boundaries.findLastIndex((boundary) => boundary <= ms);
  const [starts, ends, next] = boundaries.slice(at, at + 3);
  if (at < 0 || next === undefined) return undefined;
  return {
    startsUs: starts! * 1000,
    endsUs: ends! * 1000,
    followingUs: (next - ends!) * 1000,
  };
}

/**
 * Follows a calendar through time: each call answers with the window of now. Boundaries are computed when it is made, and
 * renewed in the background as soon as half of them have passed. A request computes some only if all have passed since the
 * last one: after months without a request, of hours ten days.
 *
 * @param nowMs a clock in milliseconds since 1970; within a list it may go back
 */
export function follow(calendar: Calendar, nowMs: () => number): () => CalendarParameters {
  let list = boundariesAround(calendar, nowMs());
  let current = windowIn(list, nowMs())!;

  const renew = () => {
    list = boundariesAround(calendar, nowMs());
  };

  return () => {
    const ms = nowMs();
    if (ms * 1000 >= current.startsUs && ms * 1000 < current.endsUs) return current;
    let found = windowIn(list, ms);
    if (!found) {
      renew();
      found = windowIn(list, ms)!;
    } else if (ms > list[list.length >> 1]!) {
      // While the request waits for its answer.
      setTimeout(renew, 0);
    }
    return (current = found);
  };
}
