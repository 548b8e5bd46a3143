import { foldName, foldValue, oneValue, spells } from "./one-value.ts";

/**
 * The characters that RFC 6265 allows in a value. Some origins take a backslash for an escape, or end a cookie at a
 * comma.
 */
const VALUE = /^[!#-+\--:<-[\]-~]*$/;

/**
 * Compiles the function that reads a cookie from the `Cookie` field. Several different values count as none
 * (one-value.ts), and so does a value that origins read differently.
 *
 * @example
 * readCookie("session")("theme=dark; session=a") // "a"
 */
export function readCookie(cookie: string): (field: string | null) => string | undefined {
  const wanted = foldName(cookie);

  return (field) => {
    if (!field) return undefined;
    const values: string[] = [];
    for (const pair of field.split(";")) {
      // Some origins separate cookies by commas, too, and some platforms join several Cookie fields by one.
      const parts = pair.split(",");
      for (const cookiePair of parts) {
        const end = cookiePair.indexOf("=");
        if (end === -1 || !spells(decode(cookiePair.slice(0, end)), wanted)) continue;
        const value = cookiePair.slice(end + 1).trim();
        const bare = value.replace(/^"([^]*)"$/, "$1");
        if (parts.length > 1 || !VALUE.test(bare)) return undefined;
        values.push(foldValue(decode(bare)));
      }
    }
    return oneValue(values);
  };
}

/** Decoded, as most origins do: else a client could write each character of its session in two ways. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
