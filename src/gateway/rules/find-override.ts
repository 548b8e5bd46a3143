import { spellHeader } from "../../features/lists/header-identities.ts";
import type { OwnNumbers } from "../../policy/own-numbers.ts";

/** The numbers that a client has instead of the policies' own. */
export interface Override {
  /** As it was written, or the digest. */
  readonly identity: string;
  readonly plan: string | OwnNumbers;
}

/**
 * The override of a request's client that applies now; a digest before an exact identity, that before a pattern, a
 * long pattern before a short one. Only a header by which the request is counted can name one: with any other, a
 * client could take another client's numbers.
 */
export type FindOverride = (
  headers: Headers,
  identities: Readonly<Record<string, string>>,
  nowMs: number,
  digests?: readonly string[],
) => Override | undefined;

/** A compiled override. */
export interface CompiledOverride extends Override {
  /** Spelt as it is compared. */
  readonly names: string;
  readonly untilMs: number;
}

/** Compiles the look-up of the override that applies to a request. */
export function compileFind(
  exact: ReadonlyMap<string, CompiledOverride>,
  byDigest: ReadonlyMap<string, CompiledOverride>,
  patterns: ReadonlyMap<string, CompiledOverride>,
): FindOverride {
  const lengths = [...new Set(Array.from(patterns.keys(), ({ length }) => length))];
  const longestFirst = lengths.sort((a, b) => b - a);
  /** The headers that overrides name, each with its position. */
  const order = new Map<string, number>();
  for (const { names } of [...exact.values(), ...patterns.values()]) {
    const header = names.slice(0, names.indexOf(":"));
    if (!order.has(header)) order.set(header, order.size);
  }

  return function find(fields, identities, nowMs, digests = []) {
    for (const digest of digests) {
      const named = byDigest.get(digest);
      if (named && named.untilMs > nowMs) return named;
    }
    if (order.size === 0) return undefined;
    for (const header of countedHeaders(identities, order)) {
      const value = fields.get(header);
      const names = value === null ? undefined : spellHeader(header, value);
      if (names === undefined) continue;
      const found = exact.get(names);
      if (found && found.untilMs > nowMs) return found;
      for (const length of longestFirst) {
        const pattern = patterns.get(names.slice(0, length));
        if (pattern && pattern.untilMs > nowMs) return pattern;
      }
    }
    return undefined;
  };
}

/** Those of the headers that an identity is read from, alone or together with other sources, in this order. */
function countedHeaders(
  identities: Readonly<Record<string, string>>,
  order: ReadonlyMap<string, number>,
): readonly string[] {
  const sources = Object.values(identities)
    .flatMap((identity) => identity.split(","))
    .map((fact) => fact.slice(0, Math.max(0, fact.indexOf(":"))));
  const headers = new Set(sources.filter((source) => order.has(source)));
  return [...headers].sort((one, other) => order.get(one)! - order.get(other)!);
}
