import { HEADER_IDENTITIES } from "../../../../src/features/lists/header-identities.ts";
import type { Entry } from "../api/answers.ts";

/** A client as an entry of a list may name it. */
export interface Target {
  readonly title: string;
  readonly entry:
    | { readonly cidr: string }
    | { readonly identity: string }
    | { readonly digest: string };
}

/** The clients that an entry of a list may name, of those that the policies count. */
export function targetsOf(partitions: readonly string[], ip: string): readonly Target[] {
  const addresses = ip === "" ? [] : [{ title: `ip:${ip}`, entry: { cidr: ip } }];
  const identities = [...new Set(partitions)]
    .filter((partition) => /^[\w!#$%&'*+.^`|~-]+:/.test(partition) && !partition.includes(","))
    .filter((partition) => !/^(?:ip|subnet|asn|country):/.test(partition))
    .map((identity) => ({ title: identity, entry: { identity } }));
  return [...identities, ...addresses];
}

/** The entry that names a client alone, and that a single call made, so that a call can take it back. */
export function entryOf({ entry }: Target, entries: readonly Entry[]): Entry | undefined {
  const [[kind, name] = []] = Object.entries(entry) as [keyof Entry, string][];
  return entries.find(
    (each) => each.id !== undefined && kind !== undefined && spelt(each[kind]) === spelt(name),
  );
}

function spelt(name: unknown): unknown {
  return typeof name === "string" ? (HEADER_IDENTITIES.spell(name) ?? name) : name;
}
