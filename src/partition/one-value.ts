/*
 * A query or a cookie can carry a name several times, and in spellings that only some origins take for the name. One
 * origin uses the first of the values, another the last. If the limiter used either, a client could put its own value
 * where the origin reads it, and a new one where the limiter reads it: a new quota with each request. Therefore all
 * values count, and several different ones count as none.
 */

/**
 * Whether some origin reads this name as the other one. Some ignore case; PHP drops blanks before a name, reads dots,
 * blanks and brackets in it as underscores, and ends it at NUL; many end it at a bracket, to make a list.
 *
 * @param name as `foldName` returns it
 */
export function spells(sent: string, name: string): boolean {
  const text = sent.trimStart();
  return (
    foldName(text.slice(0, name.length)) === name && /^(?:[[\0]|\s*$)/.test(text.slice(name.length))
  );
}

/** One spelling of a name. */
export function foldName(name: string): string {
  return name.toLowerCase().replaceAll(/[.\s[]/g, "_");
}

/** One spelling of a value: some origins read `+` as a blank, in a query as in a cookie. */
export function foldValue(value: string): string {
  return value.replaceAll("+", " ").trim();
}

/** The only one of the values; `undefined` if there are several different ones, or only empty ones. */
export function oneValue(values: Iterable<string>): string | undefined {
  const [only, ...others] = new Set(values);
  return others.length === 0 && only ? only : undefined;
}
