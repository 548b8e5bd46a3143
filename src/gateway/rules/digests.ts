import { isNow } from "../../lists/compile-list.ts";
import type { IdentityForm } from "../../lists/entry.ts";
import { partitionName } from "../../metrics/partition-name.ts";
import { DIGEST as DIGEST_FAULT } from "../messages/overrides.ts";

/*
 * Entries that name a client by its name in metrics. A client that is denied most can so be blocked, or get another limit,
 * while its identity stays secret.
 */

/** A source and a digest, or several of them, or one for a name that is too long. The partition of everybody has no digest. */
export const DIGEST = /^(?:#[\w-]{43}|[^\s:,*#]+:[!-~]{1,200})$/;

export function isDigest(digest: unknown): boolean {
  return typeof digest === "string" && DIGEST.test(digest);
}

export function withDigests(form: IdentityForm): IdentityForm {
  return { ...form, digest: { isOne: isDigest, fault: DIGEST_FAULT } };
}

/** All names that metrics may have for the client of a request, with any past or present `METRICS_IDENTITIES`. */
export async function digestsOf(
  identities: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const names = [...new Set(Object.values(identities))].flatMap((identity) => [
    partitionName(identity, "plain"),
    partitionName(identity, "hashed"),
  ]);
  return [...new Set(await Promise.all(names))];
}

/** Whether one of these names is refused now. */
export function isRefused(
  refused: ReadonlyMap<string, number>,
  names: readonly string[],
  nowMs: number,
): boolean {
  return names.some((name) => isNow(refused, name, nowMs));
}
