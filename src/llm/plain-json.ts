/** A media type that all servers read in the same way: another charset makes other texts of the same bytes. */
const PLAIN_TYPE = /^application\/json[\t ]*(?:;[\t ]*charset[\t ]*=[\t ]*("?)utf-8\1[\t ]*)?$/i;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** Whether a body of this media type is JSON in UTF-8, and no server takes it for anything else. */
export function isPlainType(type: string | null): boolean {
  return type !== null && PLAIN_TYPE.test(type);
}

/** The text of a body; `undefined` if it is not UTF-8. */
export function textOf(bytes: Uint8Array<ArrayBuffer>): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether an object of this JSON has a name twice, at any depth. Some parsers take the first value of it, others the last. */
export function hasTwins(text: string, parsed: unknown): boolean {
  return membersIn(text) > membersOf(parsed);
}

/** Counts the names in a text that is JSON. */
function membersIn(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === COLON) count++;
    if (code !== QUOTE) continue;
    for (i++; text.charCodeAt(i) !== QUOTE; i++) if (text.charCodeAt(i) === BACKSLASH) i++;
  }
  return count;
}

/** Counts the names of all objects in a value. Not by recursion: a short text can be deep. */
function membersOf(parsed: unknown): number {
  let count = 0;
  const left = [parsed];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== "object" || value === null) continue;
    const inner = Object.values(value) as unknown[];
    if (!Array.isArray(value)) count += inner.length;
    for (const each of inner) left.push(each);
  }
  return count;
}

/** A name as the most lenient of parsers compares it: some ignore case, and some end a text at NUL. */
export function folded(name: string): string {
  // In this order, as Unicode folds case: there are capitals of "s" and "k" that one of them alone leaves.
  return name.split("\0")[0]!.toUpperCase().toLowerCase().trim();
}
