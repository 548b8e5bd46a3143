/** The windows that people bill by. Apart from the calendars, so that a bundle without them can name the missing feature. */
export const CALENDAR_UNITS = ["hour", "day", "week", "month"] as const;

export type CalendarUnit = (typeof CALENDAR_UNITS)[number];
