import type { Faults } from "./faults.ts";
import { kindOf } from "./kind-of.ts";
import { MAX_NAMES, OPTIONS, UNKNOWN_OPTION } from "./messages.ts";

/** Options whose value is or contains a secret. */
const SECRETS = ["redis", "store", "url", "token", "identity"];

/** Adds a fault for each unknown option, which would otherwise be ignored silently. */
export function checkOptions(
  options: object,
  known: readonly string[],
  path: string,
  faults: Faults,
  shownNames: readonly string[] = known,
): void {
  const unknown = Object.entries(options).filter(
    ([key, value]) => !known.includes(key) && value !== undefined,
  );
  for (const [key, value] of unknown.slice(0, MAX_NAMES)) {
    const meant = nearest(key, known);
    // The value of an unknown option may be anything, even a token.
    const shown =
      typeof value === "number" || (typeof value === "string" && meant && !SECRETS.includes(meant));
    faults.add(
      path + (key.trim() ? key : JSON.stringify(key)),
      shown ? value : kindOf(value),
      UNKNOWN_OPTION,
      { meant, known: shownNames },
    );
  }
}

/** The options, after a check for unknown names; an empty object after a fault where they are not an object at all. */
export function checkedOptions<Options extends object>(
  options: Options,
  known: readonly string[],
  faults: Faults,
): Options {
  if (typeof options === "object" && options !== null) {
    checkOptions(options, known, "", faults);
    return options;
  }
  faults.add("options", options, OPTIONS);
  return {} as Options;
}

/** Words that are looked at for a hint. */
const MAX_COMPARED = 1_000;

/** The first of the words that differs from this one by at most two letters, ignoring case. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const small = word.toLowerCase();
  return words.slice(0, MAX_COMPARED).find((known) => {
    const most = known.length > 4 ? 2 : 1;
    const isAsLong = Math.abs(small.length - known.length) <= most;
    return isAsLong && isNear(small, known.toLowerCase(), most);
  });
}

/** Faults that get a hint at a name of the configuration itself. */
const MAX_HINTS = 30;

/**
 * The nearest of names that the configuration itself has, for the first of its faults: to compare thousands of unknown
 * names with thousands of known ones takes seconds.
 */
export function hintAmong(
  names: readonly string[],
  name: string,
  { list }: Faults,
): string | undefined {
  return list.length < MAX_HINTS ? nearest(name, names) : undefined;
}

/** Whether at most `most` replaced, removed or added letters turn one word into the other. */
export function isNear(a: string, b: string, most: number): boolean {
  if (a === b || !most--) return a === b;
  let at = 0;
  while (a[at] === b[at]) at++;
  const restOf = (word: string, from: number) => word.slice(at + from);
  return (
    isNear(restOf(a, 1), restOf(b, 1), most) ||
    isNear(restOf(a, 1), restOf(b, 0), most) ||
    isNear(restOf(a, 0), restOf(b, 1), most)
  );
}
