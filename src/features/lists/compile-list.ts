import type { Address } from "../../partition/ip-address.ts";
import { compileRanges, type CoveredUntil, type Range } from "./address-ranges.ts";
import type { Entry } from "./list-entry.ts";

/** The known facts about a request. Facts that no entry uses may be left out. */
export interface Subject {
  /** The client's address; `null` if it should be known and is not. */
  readonly address?: Address | null | undefined;
  readonly asn?: number | string | undefined;
  readonly country?: string | undefined;
  /** As the caller gave them, not hashed. */
  readonly identities: readonly string[];
}

/** Whether a list names a request now. */
export type Covers = (subject: Subject, nowMs: number) => boolean;

/** Compiles the entries of one list. If several entries name the same client, the one that ends last counts. */
export function compileList(entries: readonly Entry[]): Covers {
  const ranges: Range[] = [];
  const byIdentity = new Map<string, number>();
  const byAsn = new Map<number, number>();
  const byCountry = new Map<string, number>();
  for (const { kind, names, untilMs } of entries) {
    if (kind === "cidr") ranges.push({ ...names, untilMs });
    else if (kind === "identity") setLatest(byIdentity, names, untilMs);
    else if (kind === "asn") setLatest(byAsn, names, untilMs);
    else if (kind === "country") setLatest(byCountry, names, untilMs);
  }
  const ipv4 = compileRanges(ranges.filter(({ first }) => first.length === 1));
  const ipv6 = compileRanges(ranges.filter(({ first }) => first.length === 4));
  const coveredUntil: CoveredUntil = (address) => (address.length === 1 ? ipv4 : ipv6)(address);

  return function covers({ address, asn, country, identities }, nowMs) {
    return (
      (address ? coveredUntil(address) > nowMs : false) ||
      (byIdentity.size > 0 && identities.some((identity) => isNow(byIdentity, identity, nowMs))) ||
      (byAsn.size > 0 && asn !== undefined && isNow(byAsn, Number(asn), nowMs)) ||
      (byCountry.size > 0 && country !== undefined && isNow(byCountry, country, nowMs))
    );
  };
}

export function setLatest<Name>(ends: Map<Name, number>, name: Name, untilMs: number): void {
  ends.set(name, Math.max(untilMs, ends.get(name) ?? -Infinity));
}

export function isNow<Name>(ends: ReadonlyMap<Name, number>, name: Name, nowMs: number): boolean {
  const untilMs = ends.get(name);
  return untilMs !== undefined && untilMs > nowMs;
}
