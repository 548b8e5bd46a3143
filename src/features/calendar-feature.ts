import { IMPLEMENTATION } from "../algorithms/algorithm.ts";
import { calendarWindowBy } from "../algorithms/calendar-definition.ts";
import { namesCalendar } from "../algorithms/calendar-options.ts";
import type { CalendarUnit } from "../algorithms/calendar-units.ts";
import { type MadeBy, optionValue } from "../options/option-value.ts";
import type { Policy } from "../policy/policy.ts";
import type { Store } from "../store/store.ts";

export interface CalendarFeature {
  /**
   * Gives the fixed windows that name a calendar the algorithm that decides them; leaves all other policies as they are.
   *
   * @param store whose clock shows the window of now. Default: the isolate's clock
   */
  adopt(policies: readonly Policy[], store: Store | undefined): readonly Policy[];
}

/** Windows of a calendar: apart, so that a bundle with durations alone has no time zones. */
export const calendar: CalendarFeature = {
  adopt(policies, store) {
    if (!Array.isArray(policies)) return policies;
    const ofCalendar = calendarWindowBy(
      typeof store?.now === "function" ? () => store.now!() / 1000 : () => Date.now(),
    );
    return policies.map((policy: Policy) =>
      policy?.algorithm === "fixed-window" && policy[IMPLEMENTATION] && namesCalendar(policy)
        ? ({
            ...policy,
            algorithm: ofCalendar.name,
            [IMPLEMENTATION]: ofCalendar,
          } as unknown as Policy)
        : policy,
    );
  },
};

/** The time zone of a calendar's windows, and where they begin. */
export interface CalendarPlace {
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
   */
  readonly anchor?: number | string | Date;
}

/**
 * The window of a calendar month of a time zone.
 *
 * @example
 * fixedWindow({ limit: 100_000, window: month({ timeZone: "America/New_York", anchor: 15 }) })
 */
export function month(place?: CalendarPlace): MadeBy<"month(), week(), day() or hour()"> {
  return ofCalendar("month", place);
}

/**
 * The window of a calendar week of a time zone.
 *
 * @example
 * fixedWindow({ limit: 5_000, window: week({ timeZone: "Europe/Berlin" }) })
 */
export function week(place?: CalendarPlace): MadeBy<"month(), week(), day() or hour()"> {
  return ofCalendar("week", place);
}

/**
 * The window of a day of a time zone. It has 23 or 25 hours where the clocks change, and begins with its first moment that exists.
 *
 * @example
 * fixedWindow({ limit: 1_000, window: day({ timeZone: "Europe/Berlin" }) })
 */
export function day(place?: CalendarPlace): MadeBy<"month(), week(), day() or hour()"> {
  return ofCalendar("day", place);
}

/**
 * The window of an hour of a time zone, which has 3,600 s.
 *
 * @example
 * fixedWindow({ limit: 100, window: hour({ timeZone: "Asia/Kolkata" }) })
 */
export function hour(place?: CalendarPlace): MadeBy<"month(), week(), day() or hour()"> {
  return ofCalendar("hour", place);
}

function ofCalendar(
  unit: CalendarUnit,
  place?: CalendarPlace,
): MadeBy<"month(), week(), day() or hour()"> {
  return optionValue("window", { window: unit, ...place }, { calendar });
}
