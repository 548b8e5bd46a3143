import type { Entry } from "../api/answers.ts";

/** The client of a list entry or an override. */
export function entryName({ cidr, identity, digest, asn, country }: Partial<Entry>): string {
  return cidr ?? identity ?? digest ?? (asn === undefined ? (country ?? "") : `AS${asn}`);
}
