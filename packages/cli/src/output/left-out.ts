import { count, note } from "./print.ts";

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
