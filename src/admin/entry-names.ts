import { parseCidr } from "../features/lists/address-ranges.ts";
import { HEADER_IDENTITIES } from "../features/lists/header-identities.ts";
import { hexOf } from "./hex.ts";

/** The client of a checked entry, in one spelling: entries with the same client are equal. */
export function namesOf(entry: Readonly<Record<string, unknown>>): string {
  const { cidr, identity, digest, asn, country } = entry;
  const range = parseCidr(cidr);
  if (range) return `cidr:${range.first.join(".")}/${range.prefix}`;
  if (typeof identity === "string") return `identity:${spell(identity)}`;
  if (typeof digest === "string") return `digest:${digest}`;
  return asn === undefined ? `country:${String(country)}` : `asn:${String(asn)}`;
}

/** An override may name all identities that begin alike. */
function spell(identity: string): string {
  const star = identity.endsWith("*") ? "*" : "";
  const plain = identity.slice(0, identity.length - star.length);
  return (HEADER_IDENTITIES.spell(plain) ?? plain) + star;
}

/** Enough that two entries of ten thousand do not meet. */
const ID_BYTES = 8;

export const ID = /^[0-9a-f]{16}$/;

/** The id of an entry. */
export async function idOf(entry: Readonly<Record<string, unknown>>): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(namesOf(entry)));
  return hexOf(new Uint8Array(digest, 0, ID_BYTES));
}
