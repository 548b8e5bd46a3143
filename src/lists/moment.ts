/** A date and a time of ISO 8601 with a time zone. */
export const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** The year 2001. A smaller number is most likely in seconds. */
export const EARLIEST_MS = 1e12;

/** The last moment that a date can have. */
export const LATEST_MS = 8.64e15;

/** A moment in milliseconds since 1970; `undefined` if the value is not a moment. */
export function parseMoment(value: unknown): number | undefined {
  if (typeof value === "number") {
    return value >= EARLIEST_MS && value <= LATEST_MS ? value : undefined;
  }
  if (typeof value !== "string" || !MOMENT.test(value) || !isDate(value.slice(0, 10))) {
    return undefined;
  }
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Whether the month has the day: some engines read 30 February as 2 March. */
function isDate(text: string): boolean {
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}
