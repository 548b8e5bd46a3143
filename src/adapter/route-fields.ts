import { foldFieldName } from "../partition/field-names.ts";
import { OVER } from "./over-limits.ts";

/** The platform's list of the fields that the route's request is to have. It drops all others. */
const LIST = "x-middleware-override-headers";
/** Begins the name of each field's value. */
const VALUE = "x-middleware-request-";

/** Whether a middleware's response only forwards the request: the client gets another response. */
export function goesOn(headers: Headers): boolean {
  return headers.has("x-middleware-next") || headers.has("x-middleware-rewrite");
}

/**
 * Sends a forwarded request's exceeded policies to its route, as `Tidegate-Over`, in place of a value that a client
 * made up, in any spelling. The platform has no way to set one field, so all of them are named, as `NextResponse.next({ request })`
 * does.
 *
 * @param headers of the middleware's response
 * @param fields the fields of the request
 */
export function tellRoute(headers: Headers, fields: Headers, over: string): void {
  if (!goesOn(headers)) return;
  const exposed = headers
    .get(LIST)
    ?.split(",")
    .map((name) => name.trim());
  const names = exposed ?? [...fields.keys()];
  const others = names.filter((name) => foldFieldName(name) !== OVER);
  if (over === "" && others.length === names.length) return;
  if (!exposed) for (const [name, value] of fields) headers.set(VALUE + name, value);
  headers.delete(VALUE + OVER);
  if (over !== "") headers.set(VALUE + OVER, over);
  headers.set(LIST, (over === "" ? others : [...others, OVER]).join(","));
}
