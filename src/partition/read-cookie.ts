import { foldValue, oneValue } from "./one-value.ts";
import { pairsNamed } from "./spelled-names.ts";

/** The characters that RFC 6265 allows in a value. Some origins take a backslash for an escape. */
const VALUE = /^[!#-+\--:<-[\]-~]*$/;

/**
 * Compiles the function that reads a cookie from the `Cookie` field. Several different values count as none
 * (one-value.ts), and so does a value that origins read differently. A value keeps its case: cookies are secrets that
 * origins made.
 *
 * @example
 * readCookie("session")("theme=dark; session=a") // "a"
 */
export function readCookie(cookie: string): (field: string | null) => string | undefined {
  const findPairs = pairsNamed([cookie], ";,");

  return (field) => {
    if (!field) return undefined;
    const values: string[] = [];
    for (const { before, value, after } of findPairs(field)) {
      const bare = value.trim().replace(/^"([^]*)"$/, "$1");
      // Some origins separate cookies by commas, too, and some platforms join several Cookie fields by one; to others a
      // comma is part of a value.
      if (before === "," || after === "," || !VALUE.test(bare)) return undefined;
      values.push(bare);
    }
    return oneValue(values, foldValue);
  };
}
