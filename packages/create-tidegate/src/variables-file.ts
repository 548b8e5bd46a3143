/** Characters that end a line for some readers, and those that no terminal shows. A tab is neither. */
// oxlint-disable-next-line no-control-regex -- they are looked for
const CONTROL = /[\0-\x08\x0a-\x1f\x7f\x85\u2028\u2029]/;

/** The mistake in a value that a file of variables is to hold; `undefined` if it has none. */
export function mistakeIn(value: string): string | undefined {
  if (CONTROL.test(value)) return "has a line break or another control character";
  if (spellingOf(value) === undefined) {
    return "has a # or a quote, and characters that rule out every kind of quotes around it";
  }
  return undefined;
}

/** The line of a variable whose value has no mistake. */
export function lineOf(name: string, value: string): string {
  return `${name}=${spellingOf(value)}`;
}

/**
 * A value as `node --env-file` and dotenv, which wrangler and Vercel use, both read it; `undefined` if there is no such
 * spelling. Within quotes neither has an escape for the quote itself, and dotenv takes a backslash before it for one.
 */
function spellingOf(value: string): string | undefined {
  const isPlain = !/#|^['"`]/.test(value) && value === value.trim();
  if (isPlain) return value;
  if (value.endsWith("\\")) return undefined;
  const quote = ["'", "`", '"'].find((each) => !value.includes(each));
  // These are line breaks within such quotes.
  return quote === undefined || (quote === '"' && /\\[nr]/.test(value))
    ? undefined
    : quote + value + quote;
}
