/** Some 142 years: a time that ends no sooner than everything that counts by it. */
const FOREVER_US = 2 ** 52;

/** A longer time is `FOREVER_US`, and what is left of that stays longer than this for nine years. */
const LONGEST_US = FOREVER_US - 2 ** 48;

/** A time in microseconds, the unit of Redis's clock; 0 for what is no time above 0. */
export function microsecondsOf(milliseconds: number): number {
  if (!(milliseconds > 0)) return 0;
  const microseconds = Math.max(1, Math.round(milliseconds * 1000));
  return isForever(microseconds) ? FOREVER_US : microseconds;
}

/** Whether a time does not end while anybody waits. */
export function isForever(microseconds: number): boolean {
  return microseconds > LONGEST_US;
}

/** Whole seconds, rounded up. */
export function secondsOf(microseconds: number): number {
  return isForever(microseconds) ? Infinity : Math.ceil(microseconds / 1e6);
}

/** More than any client uses, and counted exactly. */
const NO_LIMIT = 2 ** 52;

/**
 * A limit in whole units, as code without types may give it: a text is the number that it says, and no limit is above `NO_LIMIT`.
 *
 * @param round how a fraction becomes whole
 * @param otherwise the limit in place of what is no number
 */
export function limitOf(
  limit: number,
  round: (limit: number) => number,
  otherwise: number,
): number {
  const units = round(Number(limit));
  return Math.max(0, Math.min(Number.isNaN(units) ? otherwise : units, NO_LIMIT));
}
