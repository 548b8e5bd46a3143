/** The escape of a character that needs none: no other prefix becomes it. */
const EMPTY = "_2d";

/** The prefix of another package in the characters that a limiter takes. All others are escaped, so that two prefixes stay two. */
export function prefixOf(prefix: string): string {
  const escaped = prefix.replaceAll(/[^A-Za-z0-9.:_-]|_(?=u?[0-9a-f]{2})/g, (character) => {
    const code = character.charCodeAt(0).toString(16);
    return code.length <= 2 ? `_${code.padStart(2, "0")}` : `_u${code.padStart(4, "0")}`;
  });
  return escaped || EMPTY;
}
