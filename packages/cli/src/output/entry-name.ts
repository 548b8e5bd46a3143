import type { NamedClient } from "../answers.ts";

/** The client that an entry of a list names, as `block` takes it. */
export function entryName({
  cidr,
  identity,
  digest,
  asn,
  country,
}: NamedClient): string | undefined {
  return cidr ?? identity ?? digest ?? (asn === undefined ? country : `AS${asn}`);
}
