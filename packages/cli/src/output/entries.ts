import type { NamedClient } from "../answers.ts";
import { count, note } from "./print.ts";

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

interface Listed {
  readonly source?: string | undefined;
  readonly inForce?: boolean | undefined;
}

/** The origin of an entry, and a note if the entry is not in force. */
export function sourceText({ source, inForce }: Listed): string | undefined {
  return inForce === false ? `${source}, not in force` : source;
}

/** Warns of entries that are listed and have no effect. */
export function noteLeftOut(entries: readonly Listed[]): void {
  const leftOut = entries.filter(({ inForce }) => inForce === false).length;
  if (leftOut === 0) return;
  const named = count(leftOut, "entry", "entries");
  note(`warning: without effect under the rules in force: ${named}.`);
}
