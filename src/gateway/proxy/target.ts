/** The path and the query of a request, as the rules have read them. */
export function pathOf({ href }: URL): string {
  const [address = ""] = href.split("#", 1);
  return address.slice(address.indexOf("/", address.indexOf("//") + 2));
}

/** Marks that a URL escapes, and that stand in a request line as they are. */
const MARKS = /["'<>^`{|}]/g;

/** The path and the query of a request as they came, where they are those that the rules have read. */
export function rawTarget(raw: string | undefined, path: string): string {
  return raw !== undefined && raw !== path && escaped(raw) === escaped(path) ? raw : path;
}

function escaped(text: string): string {
  return text.replaceAll(MARKS, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}
