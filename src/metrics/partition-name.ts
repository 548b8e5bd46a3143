import { partitionKey } from "../decide/identify.ts";
import { EVERYBODY, hash } from "../partition/key-text.ts";
import type { CompiledPolicy } from "../policy/compile.ts";

/** The partition that a policy counts, from a request's identities by dimension. */
export function identityOf(
  { by = "" }: Pick<CompiledPolicy, "by">,
  identities: Readonly<Record<string, string>>,
): string {
  return identities[by] ?? EVERYBODY;
}

/** Names a partition by a digest, unless plain names are allowed. In ASCII without controls, and bounded. */
export async function partitionName(
  identity: string,
  identities: "hashed" | "plain",
): Promise<string> {
  return partitionKey(identities === "plain" ? identity : await withoutFacts(identity));
}

/** The same for a partition key. */
export async function nameOfKey(key: string, identities: "hashed" | "plain"): Promise<string> {
  return identities === "plain" ? key : withoutFacts(key);
}

/** Parts of an identity that are no digests: where a request comes from. */
const FACT = /^(?:ip|subnet|asn|country):/;

async function withoutFacts(identity: string): Promise<string> {
  const parts = identity.split(",").map(async (fact) => {
    const [kind] = FACT.exec(fact) ?? [];
    return kind ? kind + (await hash(fact.slice(kind.length))).slice(0, 22) : fact;
  });
  return (await Promise.all(parts)).join(",");
}
