import { Change, diff } from "@codemirror/merge";

/** Each line that differs from all others is one character, and those from here on would be halves of one. */
const MAX_LINES = 0xd800;

/** Texts that differ in more lines than these are compared less closely: the time grows with the square of them. */
const MAX_CHANGED_LINES = 4_000;

/** Differences are looked for within the lines of a part up to this length. */
const MAX_WITHIN = 4_000;

/**
 * The changes from one text to another, line by line, and within lines that changed. Character by character, a few
 * changes in a long text would already take seconds, or be told as one.
 */
export function changesByLine(before: string, after: string): readonly Change[] {
  const codes = new Map<string, number>();
  const [one, other] = [linesOf(before, codes), linesOf(after, codes)];
  if (codes.size > MAX_LINES) return [new Change(0, before.length, 0, after.length)];
  const changed = diff(one.text, other.text, { scanLimit: MAX_CHANGED_LINES });
  return changed.flatMap(({ fromA, toA, fromB, toB }) => {
    const [startA, endA] = [one.starts[fromA]!, one.starts[toA]!];
    const [startB, endB] = [other.starts[fromB]!, other.starts[toB]!];
    if (endA - startA + endB - startB > MAX_WITHIN) return [new Change(startA, endA, startB, endB)];
    return diff(before.slice(startA, endA), after.slice(startB, endB)).map(
      (within) =>
        new Change(
          startA + within.fromA,
          startA + within.toA,
          startB + within.fromB,
          startB + within.toB,
        ),
    );
  });
}

/** A text with a character for each line, and where each begins; the last is where the text ends. */
function linesOf(text: string, codes: Map<string, number>) {
  const starts = [0];
  let encoded = "";
  for (const line of text.split(/(?<=\n)/)) {
    const code = codes.get(line) ?? codes.size;
    codes.set(line, code);
    encoded += String.fromCharCode(code);
    starts.push(starts.at(-1)! + line.length);
  }
  return { text: encoded, starts };
}
