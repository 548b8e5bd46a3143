/** Header fields by which a client asks an origin to take another method, in every spelling that CGI takes for them. */
const OVERRIDE = /^x[-_](?:http[-_])?method(?:[-_]override)?$/;

/** Query parameters for the same, in every spelling that PHP takes for `_method`. */
const PARAMETER = /^\s*[_.[\s]method(?:\[|$)/i;

/**
 * The methods by which an origin may handle a request, in capitals: its own, and those that it names to override it.
 * HEAD is GET. One that is named in a body is not seen.
 */
export function methodsOf({ method, headers }: Request, search: string): readonly string[] {
  const methods = [method];
  for (const [name, value] of headers) {
    if (OVERRIDE.test(name)) methods.push(...value.split(","));
  }
  if (search !== "") {
    // Some take a semicolon for a separator.
    for (const [name, value] of new URLSearchParams(search.replaceAll(";", "&"))) {
      if (PARAMETER.test(name)) methods.push(value);
    }
  }
  return methods.map((named) => {
    const asked = named.trim().toUpperCase();
    return asked === "HEAD" ? "GET" : asked;
  });
}
