import { foldValue } from "../../partition/one-value.ts";
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
export function methodsOf(
  { method, headers }: Pick<Request, "method" | "headers">,
  search: string,
): ReadonlySet<string> {
  const methods = new Set<string>();
  add(methods, method);
  for (const [name, value] of headers) {
    if (OVERRIDE.test(name)) for (const each of value.split(",")) add(methods, each);
  }
  if (search !== "") {
    for (const { value } of overridesIn(search.slice(1))) add(methods, foldValue(value));
  }
  return methods;
}

function add(methods: Set<string>, named: string): void {
  const asked = named.trim().toUpperCase();
  methods.add(asked === "HEAD" ? "GET" : asked);
}
