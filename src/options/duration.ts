import type { Faults } from "./faults.ts";
import { DURATION } from "./messages.ts";

type Unit = "ms" | "s" | "m" | "h" | "d";

/** A time with its unit: `"250ms"`, `"10s"`, `"10 s"`, `"1.5m"`, `"1h"`, `"30d"`. */
export type Duration = `${number}${Unit}` | `${number} ${Unit}`;

const MICROSECONDS: Record<string, number> = {
  ms: 1e3,
  s: 1e6,
  m: 60e6,
  h: 3600e6,
  d: 86_400e6,
};

/**
 * A duration in whole microseconds, the unit of Redis's clock: `"1.5s"` is 1,500,000. `undefined` if the text is no
 * duration or not a whole number of microseconds.
 */
export function parseDuration(duration: unknown): number | undefined {
  if (typeof duration !== "string") return undefined;
  const match = /^(\d{1,15}(?:\.\d{1,6})?) ?(ms|s|m|h|d)$/.exec(duration);
  if (!match) return undefined;
  // Decimal fractions are not exact in binary: round, then check whether there was anything to round.
  const exact = Number(match[1]) * MICROSECONDS[match[2]!]!;
  const rounded = Math.round(exact);
  return Math.abs(exact - rounded) <= 1e-12 * exact && Number.isSafeInteger(rounded)
    ? rounded
    : undefined;
}

/** The durations that an option accepts, and an example. */
export interface DurationRange {
  readonly min: Duration;
  readonly max: Duration;
  readonly example: Duration;
}

/** The usual words for windows of a calendar. */
const CALENDAR_WORD = /month|week|day|hour/i;

/** The microseconds of a duration within the range; otherwise adds a fault and returns `undefined`. */
export function checkDuration(
  value: unknown,
  range: DurationRange,
  path: string,
  faults: Faults,
): number | undefined {
  if (isDurationWithin(value, range)) return parseDuration(value);
  const namesCalendar = typeof value === "string" && CALENDAR_WORD.test(value);
  faults.add(path, value, DURATION, { ...range, namesCalendar });
  return undefined;
}

export function isDurationWithin(value: unknown, { min, max }: DurationRange): boolean {
  const us = parseDuration(value);
  return us !== undefined && us >= parseDuration(min)! && us <= parseDuration(max)!;
}
