/*
 * A client can write a name in ways that only some origins read as that name. If the limiter read fewer of them than an
 * origin, a client could show the two different values. Here is what origins do with a name in a query or a cookie:
 *
 * - all decode it, and some ignore case; of letters outside ASCII, the long s, the Kelvin sign and the dotless i become ASCII;
 * - PHP drops blanks before it, reads dots, blanks and brackets in it as underscores, and ends it at NUL;
 * - Express and Rack drop brackets around it, and many end it at a bracket, to make a list;
 * - some take a question mark at the beginning of a query for the one before it.
 */

/** The characters between pairs; some origins know only the first. */
export type Separators = "&;" | ";,";

/** A blank, and any other character that origins trim, as it is or as an escape. */
const BLANK = String.raw`[\s+]|%(?:20|0[1-9a-f]|1[\da-f])`;
const BRACKET = String.raw`[[\]]|%5[bd]`;
const NUL = String.raw`\0|%00`;

/** Characters that PHP reads as an underscore, and the underscore. */
const UNDERSCORE = String.raw`[_.[+\s]|%(?:2[0e]|0[9a-d]|2b|5[bf])`;

/** Characters outside ASCII that become one of its letters where case is folded: as they are, and as escapes. */
const FOLDED: Readonly<Record<string, readonly string[]>> = {
  i: ["\u0131", "%c4%b1"],
  k: ["\u212a", "%e2%84%aa"],
  s: ["\u017f", "%c5%bf"],
};

/** A pair of a query or a cookie. */
export interface Pair {
  /** The separator before it; empty at the beginning of the text. */
  readonly before: string;
  /** As it is written; empty if there is none. */
  readonly value: string;
  /** The separator behind it; empty at the end of the text. */
  readonly after: string;
}

/**
 * Compiles the function that finds the pairs of a text whose names some origin reads as one of these names. It looks at each
 * character of a text once.
 *
 * @param names in ASCII; one that begins with another one stands before it
 */
export function pairsNamed(
  names: readonly string[],
  separators: Separators,
): (text: string) => readonly Pair[] {
  const spelled = names.map((name) => Array.from(name, spellings).join("")).join("|");
  const before = `(?:${BLANK}|${BRACKET}|[?])*`;
  const after = `(?:${BLANK})*(?:(?:${NUL}|${BRACKET})[^=${separators}]*)?`;
  const value = `(?:=([^${separators}]*))?`;
  // Whatever stands behind the name, this matches, so that nothing is tried twice.
  const pattern = new RegExp(`(^|[${separators}])${before}(?:${spelled})${after}${value}`, "gi");

  return (text) => {
    const pairs: Pair[] = [];
    for (let found; (found = pattern.exec(text));) {
      const [, before = "", value = ""] = found;
      const after = text.charAt(pattern.lastIndex);
      // Else it is the beginning of another name.
      if (separators.includes(after)) pairs.push({ before, value, after });
    }
    return pairs;
  };
}

/** The ways to write a character of a name. */
function spellings(character: string): string {
  if (/[_.+]/.test(character)) return `(?:${UNDERSCORE})`;
  const small = character.toLowerCase();
  const escapes = [small, small.toUpperCase()].map(
    (letter) => `%${letter.charCodeAt(0).toString(16)}`,
  );
  const literal = small.replace(/\W/, String.raw`\$&`);
  return `(?:${[literal, ...escapes, ...(FOLDED[small] ?? [])].join("|")})`;
}
