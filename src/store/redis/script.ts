import type { CompiledPolicy } from "../../policy/compile.ts";
import { expandNumbers } from "./expand-numbers.ts";

/** A script without the branches of its algorithms. */
export interface ScriptTemplate {
  readonly before: string;
  readonly after: string;
}

/** A script, and its SHA-1 on the server for each first line. */
export interface Script {
  readonly text: string;
  readonly sha1s: Map<string, string>;
}

/** The script with the branches of these policies' algorithms only, because every branch costs time in every call. */
export function scriptFor(
  { before, after }: ScriptTemplate,
  policies: readonly CompiledPolicy[],
): Script {
  const branches = new Set(policies.map(({ implementation }) => implementation.script));
  // Sorted, so that the order of the policies does not change the script.
  const chain = [...branches].sort().join("elseif ");
  return scriptOf(before + (chain && `if ${chain}end`) + after);
}

/** The script of this text, as the build writes it. */
export function scriptOf(built: string): Script {
  return { text: expandNumbers(built), sha1s: new Map() };
}

/** The SHA-1 by which EVALSHA runs the script with this first line; computed once. */
export async function sha1For({ text, sha1s }: Script, firstLine: string): Promise<string> {
  const bytes = new TextEncoder().encode(firstLine + text);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-1", bytes));
  const sha1 = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  sha1s.set(firstLine, sha1);
  return sha1;
}
