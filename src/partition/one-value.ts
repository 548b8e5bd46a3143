import { decode } from "./decode.ts";

/*
 * A query or a cookie can carry a name several times, and in spellings that only some origins take for the name
 * (spelled-names.ts). One origin uses the first of the values, another the last. If the limiter used either, a client could
 * put its own value where the origin reads it, and a new one where the limiter reads it: a new quota with each request.
 * Therefore all values count, and several different ones count as none.
 */

/** No client has a reason to write one value in more ways, and each takes time to read. */
const MAX_SPELLINGS = 16;

/**
 * The only one of the values; `undefined` if there are several different ones, or only empty ones.
 *
 * @param values as they are written
 * @param fold brings all spellings of a value into one
 */
export function oneValue(
  values: Iterable<string>,
  fold: (value: string) => string,
): string | undefined {
  const read = new Set<string>();
  let only: string | undefined;
  for (const value of values) {
    if (read.has(value)) continue;
    read.add(value);
    const folded = fold(value);
    if (read.size > MAX_SPELLINGS || folded !== (only ??= folded)) return undefined;
  }
  return only || undefined;
}

/**
 * One spelling of a value: decoded, as most origins do. Some read `+` as a blank, in a query as in a cookie, some trim a
 * value, and some end it at NUL.
 */
export function foldValue(value: string): string {
  const [text] = /[^\s\0][^\0]*/.exec(decode(value).replaceAll("+", " ")) ?? [""];
  return text.trimEnd();
}
