import { HEADER_IDENTITIES, headerIdentities } from "../features/lists/header-identities.ts";
import { compileLists } from "../features/lists/lists.ts";
import { compileSubject } from "../features/lists/request-lists.ts";
import { isRefused, withDigests } from "../gateway/rules/digests.ts";
import type { RulesetData } from "../gateway/rules/ruleset.ts";
import { Faults } from "../options/faults.ts";
import type { ClientIp } from "../partition/client-ip.ts";
import type { ListedEntry } from "./administered.ts";
import type { RequestAsData } from "./describe-request.ts";

/** More entries than this do not help to take a client off a list. */
const MOST = 10;

/**
 * The entries of a list that name the client of a request now, at most ten. Compiled lists do not report the entry, so
 * each entry is compiled alone, which is fast enough for a person's question.
 *
 * @param digests the possible names of the client in metrics
 */
export function entriesNaming(
  list: "allow" | "deny",
  { lists }: RulesetData,
  { request, connection }: RequestAsData,
  clientIp: ClientIp,
  digests: readonly string[],
): readonly ListedEntry[] {
  const { [list]: entries = [] } = Object(lists) as Partial<Record<string, readonly ListedEntry[]>>;
  const found: ListedEntry[] = [];
  for (const entry of entries) {
    const compiled = compileLists(
      { [list]: [entry] },
      "lists",
      new Faults(),
      withDigests(HEADER_IDENTITIES),
    )!;
    const subjectOf = compileSubject(compiled, clientIp, headerIdentities(compiled));
    const verdict = compiled.find(subjectOf(request, connection), Date.now());
    const isNamed =
      isRefused(compiled.digests, digests, Date.now()) ||
      (verdict !== undefined && verdict !== "unknown");
    if (isNamed) found.push(entry);
    if (found.length === MOST) break;
  }
  return found;
}
