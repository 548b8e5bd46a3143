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

/** A method as rules name it: in capitals, and HEAD as GET. */
export function canonicalMethod(method: string): string {
  const asked = method.trim().toUpperCase();
  return asked === "HEAD" ? "GET" : asked;
}

/**
 * The methods by which an origin may handle a request instead of its own, because fields or the query name them. A method that is
 * named in the body is not seen.
 */
export function methodsInstead({
  headers,
  url,
}: Pick<Request, "headers" | "url">): ReadonlySet<string> {
  const methods = new Set<string>();
  for (const [name, value] of headers) {
    if (!OVERRIDE.test(name)) continue;
    for (const each of value.split(",")) methods.add(canonicalMethod(each));
  }
  const { query, others } = queriesOf(url);
  for (const text of query === "" ? others : [query, ...others]) {
    const named = new Set(overridesIn(text).map(({ value }) => value));
    for (const value of named) methods.add(canonicalMethod(foldValue(value)));
  }
  return methods;
}
