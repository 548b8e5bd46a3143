/** Each unit as a count of the one before. */
const LARGER_UNITS = [
  ["minutes", 60],
  ["hours", 60],
  ["days", 24],
] as const;

/**
 * A wait for people to read: `45 s`, `12 minutes`, `97 hours`, `12 days`. From a hundred on a larger unit says it. It is
 * rounded up, so that a person who waits that long is not early.
 */
export function waitInWords(seconds: number): string {
  let count = seconds;
  let unit = "s";
  for (const [larger, size] of LARGER_UNITS) {
    if (count < 100) break;
    count = Math.ceil(count / size);
    unit = larger;
  }
  return `${count} ${unit}`;
}
