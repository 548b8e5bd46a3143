import { type MadeBy, optionValue, type SourceMakers } from "../options/option-value.ts";
import {
  type CompileSource,
  readAsn,
  readClaim,
  readCookieOf,
  readCountry,
  readHeader,
  readPath,
  readQueryOf,
  readSubnet,
} from "../partition/source-reader.ts";

/** Partitions by parts of a request besides the client's address, by the kinds of sources. */
export type Sources = Readonly<Record<string, CompileSource>>;

/** Every kind, for partitions that are data. */
export const everySource: Sources = {
  asn: readAsn,
  cookie: readCookieOf,
  country: readCountry,
  header: readHeader,
  jwt: readClaim,
  path: readPath,
  query: readQueryOf,
  subnet: readSubnet,
};

/**
 * A header of the request, as a source of its identity. All spellings of a credential (a header whose name ends in `authorization`,
 * `key` or `token`) count together, and several credentials in one header count as none.
 *
 * @example
 * rateLimit({ policies, partition: [header("x-api-key"), "ip"] })
 */
export function header(name: string): MadeBy<SourceMakers> {
  return source(`header:${name}`, { header: readHeader });
}

/**
 * A cookie of the request, as a source of its identity. Several different values count as none.
 *
 * @example
 * rateLimit({ policies, partition: [cookie("session"), "ip"] })
 */
export function cookie(name: string): MadeBy<SourceMakers> {
  return source(`cookie:${name}`, { cookie: readCookieOf });
}

/**
 * A parameter of the query, as a source of the request's identity. Several different values count as none.
 *
 * @example
 * rateLimit({ policies, partition: [query("key"), "ip"] })
 */
export function query(name: string): MadeBy<SourceMakers> {
  return source(`query:${name}`, { query: readQueryOf });
}

/**
 * The network of the client's address, as a source of its identity: its /24, of IPv6 its /48.
 *
 * @example
 * rateLimit({ policies, partition: [subnet()] })
 */
export function subnet(): MadeBy<SourceMakers> {
  return source("subnet", { subnet: readSubnet });
}

/**
 * The autonomous system of the client's address, where Cloudflare or Vercel says it, as a source of its identity.
 *
 * @example
 * rateLimit({ policies, partition: [asn(), "ip"] })
 */
export function asn(): MadeBy<SourceMakers> {
  return source("asn", { asn: readAsn });
}

/**
 * The country of the client's address, where Cloudflare or Vercel says it, as a source of its identity.
 *
 * @example
 * rateLimit({ policies, partition: [[country(), header("x-user-id")], "ip"] })
 */
export function country(): MadeBy<SourceMakers> {
  return source("country", { country: readCountry });
}

function source(text: string, sources: Sources): MadeBy<SourceMakers> {
  return optionValue("partition", { partition: text }, { sources });
}
