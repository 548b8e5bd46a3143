import type { Faults } from "./faults.ts";

/** Options whose value is a secret or has one inside. */
const SECRETS = ["redis", "store", "url", "token"];

/** Adds a fault for each option that does not exist: it would change nothing, silently. */
export function checkOptions(
  options: object,
  known: readonly string[],
  path: string,
  faults: Faults,
): void {
  for (const [key, value] of Object.entries(options)) {
    if (known.includes(key) || value === undefined) continue;
    const meant = nearest(key, known);
    // Under a name that means nothing may stand anything, a token too.
    const shown =
      typeof value === "number" || (typeof value === "string" && meant && !SECRETS.includes(meant));
    faults.add(
      path + (key.trim() ? key : JSON.stringify(key)),
      shown ? value : typeof value === "object" ? "(an object)" : `(a ${typeof value})`,
      `${didYouMean(key, known)}The options are ${known.join(", ")}, and nothing else.`,
    );
  }
}

/** Begins a remedy for a word that is none of those known; empty if it is near none. */
export function didYouMean(word: string, known: readonly string[]): string {
  const meant = nearest(word, known);
  return meant ? `Did you mean \`${meant}\`? ` : "";
}

/** Which of the words this one is within two letters of, whatever its case; `undefined` for none. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  return words.find((known) =>
    isNear(word.toLowerCase(), known.toLowerCase(), known.length > 4 ? 2 : 1),
  );
}

/** Whether at most so many letters replaced, left out or added make one word the other. */
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
