import type { Entry } from "../api/answers.ts";

/** Whom an entry of a list, or an override, names. */
export function entryName({ cidr, identity, digest, asn, country }: Partial<Entry>): string {
  return cidr ?? identity ?? digest ?? (asn === undefined ? (country ?? "") : `AS${asn}`);
}
