/*
 * Origins of CGI's kind (PHP, WSGI, Rack) get header fields as variables, in whose names a dash is an underscore; some servers
 * write one for everything but letters and digits. There X_Api_Key and X-Api-Key are one field, while code that reads a field by
 * its exact name sees two. A client could show the limiter one key, or none, and such an origin another.
 */

/** A name in which nothing is folded. */
const PLAIN = /^[a-z0-9-]*$/;

/** One spelling of all names that some server takes for the same one. */
export function foldFieldName(name: string): string {
  const lower = name.toLowerCase();
  return PLAIN.test(lower) ? lower : lower.replaceAll(/[^a-z0-9]/g, "-");
}

/** Whether some server takes a field, by its name in lower case, for another one that is read here. */
export type IsImitation = (name: string) => boolean;

/** @param names of the fields that are read, in lower case */
export function compileIsImitation(names: Iterable<string>): IsImitation {
  const exact = new Set(names);
  const folded = new Set([...exact].map(foldFieldName));
  // Then a plain name is either one of them, or none that looks like one. Nearly all names are plain.
  const arePlain = [...exact].every((name) => PLAIN.test(name));
  return (name) =>
    !(arePlain && PLAIN.test(name)) && folded.has(foldFieldName(name)) && !exact.has(name);
}

/**
 * Whether a name is that of a field which is read here, in any spelling that some server takes for it.
 *
 * @param names of the fields that are read, in lower case
 */
export function compileIsRead(names: Iterable<string>): (name: string) => boolean {
  const folded = new Set(Array.from(names, foldFieldName));
  return (name) => folded.has(foldFieldName(name));
}

/** The name of the field in a source such as `header:NAME`, in lower case; `undefined` for anything else. */
export function fieldNameIn(source: unknown): string | undefined {
  return typeof source === "string" && source.startsWith("header:")
    ? source.slice("header:".length).toLowerCase()
    : undefined;
}
