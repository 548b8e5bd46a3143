import { compileRanges, parseCidr } from "../../../../../src/features/lists/address-ranges.ts";
import { HEADER_IDENTITIES } from "../../../../../src/features/lists/header-identities.ts";
import { isRecord } from "../../../../../src/options/record.ts";
import { type Address, readAddress } from "../../../../../src/partition/ip-address.ts";
import type { AuditEntry, Change } from "../../api/answers.ts";

/** A client as the audit may name it. */
export interface Whom {
  /** Readable, such as `x-user-id:42`, or as metrics call it. */
  readonly identities: readonly string[];
  /** Its address; empty if it is not known. */
  readonly ip: string;
}

/** The entries of the audit that name a client: put on a list, taken off, overridden and reset. */
export function auditEntriesAbout(
  entries: readonly AuditEntry[],
  { identities, ip }: Whom,
): AuditEntry[] {
  const spelt = identities.map((identity) => HEADER_IDENTITIES.spell(identity) ?? identity);
  const address = readAddress(ip);
  const names = (value: unknown): boolean => {
    if (typeof value === "string") return identities.includes(value) || spelt.includes(value);
    if (!isRecord(value)) return false;
    const { identity, cidr, digest } = value;
    return (
      (typeof digest === "string" && identities.includes(digest)) ||
      (typeof identity === "string" && spelt.some((each) => isNamedBy(each, identity))) ||
      (address !== undefined && isWithin(address, cidr))
    );
  };
  const isAbout = ({ before, after }: Change) => names(before) || names(after);
  return entries.filter(({ changes = [] }) => changes.some(isAbout));
}

/** An entry may name all identities that begin alike. */
function isNamedBy(spelt: string, identity: string): boolean {
  const star = identity.endsWith("*") ? "*" : "";
  const plain = identity.slice(0, identity.length - star.length);
  const name = HEADER_IDENTITIES.spell(plain) ?? plain;
  return star === "" ? spelt === name : spelt.startsWith(name);
}

function isWithin(address: Address, cidr: unknown): boolean {
  const range = parseCidr(cidr);
  if (range?.first.length !== address.length) return false;
  return compileRanges([{ ...range, untilMs: Infinity }])(address) === Infinity;
}
