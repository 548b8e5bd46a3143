import { spellHeader } from "../../../../src/features/lists/header-identities.ts";
import { clientKey } from "../../../../src/partition/client-key.ts";
import { readAddress, subnetOf } from "../../../../src/partition/ip-address.ts";
import { hash } from "../../../../src/partition/key-text.ts";

/** The metrics' name of a hashed fact about an address. */
const FACT_LENGTH = 22;

/** So many texts are hashed in about a second. */
const MAX_TEXTS = 20_000;

/** A part of a client's name, and the text that it was made of. */
export interface Recognized {
  /** Such as `x-api-key`. */
  readonly source: string;
  readonly value: string;
}

/** The parts of a client's name, with the texts from which it may have been made. */
interface Fact {
  readonly source: string;
  readonly digest: string;
}

/** The parts of a name that a text can be compared with; none of a name that is too long to have them. */
export function partsOf(name: string): readonly Fact[] {
  if (name.startsWith("#")) return [];
  return name.split(",").flatMap((fact) => {
    const [, source = "", digest = ""] = /^(.+):([\w-]{22}|[\w-]{43})$/.exec(fact) ?? [];
    return source === "" ? [] : [{ source, digest }];
  });
}

/** Looks for the texts that a client's name was made of: whole lines, and words of them. The texts stay in the page. */
export async function recognize(name: string, pasted: string): Promise<readonly Recognized[]> {
  const parts = partsOf(name);
  const found: Recognized[] = [];
  for (const text of textsOf(pasted)) {
    for (const { source, digest } of parts) {
      const value = await madeOf(source, digest, text);
      if (value === undefined) continue;
      found.push({ source, value });
      if (found.length === parts.length) return found;
    }
  }
  return found;
}

function textsOf(pasted: string): ReadonlySet<string> {
  const texts = new Set<string>();
  for (const line of pasted.split("\n").map((each) => each.trim())) {
    const words = line.split(/[\s,;"'=&?|<>()[\]{}]+/);
    const afterName = /^[\w-]+:\s*(.+)$/.exec(line)?.[1] ?? "";
    for (const text of [line, afterName, ...words]) {
      if (text !== "" && texts.size < MAX_TEXTS) texts.add(text);
    }
  }
  return texts;
}

/** The text as the request has it, if the digest is its; `undefined` if it is not. */
async function madeOf(source: string, digest: string, text: string): Promise<string | undefined> {
  if (source === "ip" || source === "subnet") {
    if (readAddress(text) === undefined) return undefined;
    const key = clientKey(text);
    const hashed = await hash(source === "ip" ? key : subnetOf(key));
    return hashed.slice(0, FACT_LENGTH) === digest ? text : undefined;
  }
  if (digest.length === FACT_LENGTH) {
    return (await hash(text)).slice(0, FACT_LENGTH) === digest ? text : undefined;
  }
  for (const value of source === "authorization" ? [text, `bearer ${text}`] : [text]) {
    // The source of a cookie, a query or a path has two words, and its value is hashed as it is.
    const spelt = source.includes(":")
      ? value
      : spellHeader(source, value)?.slice(source.length + 1);
    if (spelt !== undefined && (await hash(spelt)) === digest) return value;
  }
  return undefined;
}
