/** More publications than any gateway has. A higher number was not written by Tidegate, and leaves no room to count. */
export const MAX_VERSION = 1_000_000_000;

/** The whole number that Redis has as a text; 0 for anything else than one from 1 to `most`. */
export function wholeUpTo(most: number, text: unknown): number {
  const number = Number(text);
  return Number.isSafeInteger(number) && number > 0 && number <= most ? number : 0;
}
