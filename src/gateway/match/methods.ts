/** Header fields that ask an origin to use another method, in every spelling that CGI does not tell apart. */
const OVERRIDE = /^x[-_](?:http[-_])?method(?:[-_]override)?$/;

/** Query parameters that ask the same, in every spelling that PHP reads as `_method`. */
const PARAMETER = /^\s*[_.[\s]method(?:\[|$)/i;

/**
 * The methods by which an origin may handle a request, in capitals: its own, and those that its fields and query name
 * to override it. HEAD counts as GET. A method named in the body is not seen.
 */
export function methodsOf(
  { method, headers }: Pick<Request, "method" | "headers">,
  search: string,
): readonly string[] {
  const methods = [method];
  for (const [name, value] of headers) {
    if (OVERRIDE.test(name)) methods.push(...value.split(","));
  }
  if (search !== "") {
    // Some origins accept a semicolon as a separator.
    for (const [name, value] of new URLSearchParams(search.replaceAll(";", "&"))) {
      if (PARAMETER.test(name)) methods.push(value);
    }
  }
  return methods.map((named) => {
    const asked = named.trim().toUpperCase();
    return asked === "HEAD" ? "GET" : asked;
  });
}
