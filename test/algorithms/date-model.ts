import type { CalendarUnit } from "../../src/algorithms/calendar-units.ts";

/*
 * Calendar windows by another way than the product's: the local time of the engine's `Date`, where the process is set to the
 * zone, and a look at each minute wherever clocks change.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const localAt = (ms: number) => ms - new Date(ms).getTimezoneOffset() * MINUTE_MS;

/** The first moment at which the clocks show this time or a later one. */
function firstMoment(localMs: number): number {
  const [from, until] = [localMs - 27 * HOUR_MS, localMs + 27 * HOUR_MS];
  const offsetMs = localAt(from) - from;
  const isEven = [-9, -3, 0, 3, 9, 27].every((hours) => {
    const at = localMs + hours * HOUR_MS;
    return localAt(at) - at === offsetMs;
  });
  if (isEven) return localMs - offsetMs;
  for (let at = from; at < until; at += MINUTE_MS) if (localAt(at) >= localMs) return at;
  throw new Error("The clocks never show this time.");
}

/** The local times with which windows begin, from a year's first day on. */
function* starts(unit: Exclude<CalendarUnit, "hour">, anchor: number, year: number) {
  if (unit === "month") {
    for (let month = 0; ; month++) {
      const first = new Date(Date.UTC(year, month, 1));
      const day = new Date(Date.UTC(year, month, anchor));
      const isShorter = day.getUTCMonth() !== first.getUTCMonth();
      yield isShorter ? Date.UTC(year, month + 1, 1) - DAY_MS : day.getTime();
    }
  }
  for (let at = Date.UTC(year, 0, 1); ; at += DAY_MS) {
    const isoDay = new Date(at).getUTCDay() || 7;
    if (unit === "day") yield at + anchor * MINUTE_MS;
    else if (isoDay === anchor) yield at;
  }
}

/** The boundaries in the zone of this process, from a year on and before another. */
export function boundariesByDate(
  unit: Exclude<CalendarUnit, "hour">,
  anchor: number,
  year: number,
  endYear: number,
): number[] {
  const found = new Set<number>();
  for (const localMs of starts(unit, anchor, year)) {
    if (localMs >= Date.UTC(endYear, 0, 1)) break;
    found.add(firstMoment(localMs));
  }
  return [...found];
}

/** When the hour of this moment began, if no change of the clocks has cut it. */
export function hourByDate(ms: number, minute: number): number {
  const past = (localAt(ms) - minute * MINUTE_MS) % HOUR_MS;
  return ms - past;
}

/** The days with a change of the clocks, in whole hours of UTC before and after them. */
export function changes(year: number, endYear: number): number[] {
  const found: number[] = [];
  for (let at = Date.UTC(year, 0, 1); at < Date.UTC(endYear, 0, 1); at += DAY_MS) {
    const [before, after] = [at, at + DAY_MS].map((ms) => new Date(ms).getTimezoneOffset());
    if (before !== after) found.push(at);
  }
  return found;
}
