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
