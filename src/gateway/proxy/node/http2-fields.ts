import { hopFields } from "../hop-by-hop.ts";
import type { Field } from "./raw-fields.ts";

/** Fields of HTTP/2 by their names; only cookies are set one by one. */
type Http2Fields = Record<string, string | string[]>;

/** The fields whose first value alone counts: a further one would change what it says. The values of all others are a list. */
const FIRST =
  /^(?:access-control-allow-(?:credentials|origin)|access-control-max-age|age|content-(?:length|location|range|type)|date|etag|expires|last-modified|location|retry-after|x-content-type-options)$/;

/** Statuses whose answers have no body there, and so no length. */
const BODILESS: ReadonlySet<number> = new Set([204, 205]);

/**
 * The fields of an answer as Node sends them by HTTP/2. It throws for a repeated field that has one value, and for fields that belong
 * to HTTP/1.1, where an origin's answer is on its way already: the process would end.
 */
export function http2Fields(fields: readonly Field[], status: number): Http2Fields {
  const passing: Http2Fields = joined(fields);
  if (BODILESS.has(status)) delete passing["content-length"];
  return passing;
}

/** The same of the fields after a body. */
export function http2Trailers(trailers: readonly Field[]): Record<string, string> {
  const { "set-cookie": _, ...passing } = joined(trailers);
  return passing as Record<string, string>;
}

function joined(fields: readonly Field[]): Http2Fields {
  const hop = hopFields(null);
  const passing: Http2Fields = {};
  for (const [name, value] of fields) {
    const key = name.toLowerCase();
    if (hop.has(key) || key === "http2-settings") continue;
    const earlier = Object.hasOwn(passing, key) ? passing[key] : undefined;
    if (key === "set-cookie") passing[key] = [...(earlier ?? []), value];
    else if (typeof earlier !== "string") passing[key] = value;
    else if (!FIRST.test(key)) passing[key] = `${earlier}, ${value}`;
  }
  return passing;
}
