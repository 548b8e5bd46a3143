import type { CompiledPolicy } from "../../policy/compile.ts";

/** A script without its branches. */
export interface Frame {
  readonly before: string;
  readonly after: string;
}

/** A script's text, and under which names servers have it, each by what stands before the text. */
export interface Script {
  readonly text: string;
  readonly names: Map<string, string>;
}

/** The script of a frame that counts by these policies' algorithms; it has no others, as each costs with every call. */
export function scriptFor({ before, after }: Frame, policies: readonly CompiledPolicy[]): Script {
  const branches = new Set(policies.map(({ implementation }) => implementation.script));
  // In an order of their own, so that the order of policies makes no other script.
  const chain = [...branches].sort().join("elseif ");
  return { text: before + (chain && `if ${chain}end`) + after, names: new Map() };
}

/** The name by which EVALSHA runs the script with this first line. */
export async function nameOf({ text, names }: Script, firstLine: string): Promise<string> {
  const bytes = new TextEncoder().encode(firstLine + text);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-1", bytes));
  const name = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  names.set(firstLine, name);
  return name;
}
