import { HEADER_IDENTITY } from "../../options/messages.ts";
import { oneSpelling } from "../../partition/credential.ts";
import { SOURCE } from "../../partition/source-text.ts";
import type { IdentityForm } from "./list-entry.ts";
import type { Lists } from "./lists.ts";

/**
 * The first words of sources and of other kinds of entries. Such an entry is a mistake, because no header has that
 * name.
 */
const NO_HEADERS = ["header", "ip", "subnet", "asn", "country", "cookie", "query", "path", "jwt"];

/** An identity as a header's name and value, in the spelling of the sources' identities. */
export const HEADER_IDENTITIES: IdentityForm = {
  spell(identity) {
    const colon = identity.indexOf(":");
    const name = identity.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (!SOURCE.test(`header:${name}`) || NO_HEADERS.includes(name)) return undefined;
    return spellHeader(name, identity.slice(colon + 1));
  },
  fault: HEADER_IDENTITY,
};

/** A header's name and value in the spelling that comparisons use. */
export function spellHeader(name: string, value: string): string | undefined {
  const spelt = oneSpelling(name, value.trim());
  return spelt ? `${name}:${spelt}` : undefined;
}

const NONE: readonly string[] = [];

export function fieldsOf({ identities }: Lists): readonly string[] {
  return [...new Set(identities.map((text) => text.slice(0, text.indexOf(":"))))];
}

/**
 * Reads the headers that the lists' identities name. It walks the request's own headers, so that many names cost no
 * time.
 */
export function headerIdentities(lists: Lists): (headers: Headers) => readonly string[] {
  const names = new Set(fieldsOf(lists));
  if (names.size === 0) return () => NONE;
  return (headers) => {
    const found: string[] = [];
    for (const [name, value] of headers) {
      const spelt = names.has(name) ? spellHeader(name, value) : undefined;
      if (spelt !== undefined) found.push(spelt);
    }
    return found;
  };
}
