import { foldValue } from "../../partition/one-value.ts";
import { queriesOf } from "../../partition/queries.ts";
import { pairsNamed } from "../../partition/spelled-names.ts";

/** Header fields that ask an origin to use another method, in every spelling that CGI does not tell apart. */
const OVERRIDE = /^x[-_](?:http[-_])?method(?:[-_]override)?$/;

/** Query parameters that ask the same: `_method` of many frameworks, and the fields' names, which ASP.NET looks for there, too. */
const overridesIn = pairsNamed(
  ["_method", "x-http-method-override", "x-http-method", "x-method-override"],
  "&;",
);

/**
 * The methods by which an origin may handle a request, in capitals: its own, and those that its fields and query name
 * to override it. HEAD counts as GET. A method named in the body is not seen.
 */
export function methodsOf({
  method,
  headers,
  url,
}: Pick<Request, "method" | "headers" | "url">): ReadonlySet<string> {
  const methods = new Set<string>();
  add(methods, method);
  for (const [name, value] of headers) {
    if (OVERRIDE.test(name)) for (const each of value.split(",")) add(methods, each);
  }
  const { query, others } = queriesOf(url);
  for (const text of query === "" ? others : [query, ...others]) {
    const named = new Set(overridesIn(text).map(({ value }) => value));
    for (const value of named) add(methods, foldValue(value));
  }
  return methods;
}

function add(methods: Set<string>, named: string): void {
  const asked = named.trim().toUpperCase();
  methods.add(asked === "HEAD" ? "GET" : asked);
}
