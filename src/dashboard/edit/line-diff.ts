/** A line of two texts: in both, or only in one of them. */
export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
  /** Where it is in the text before, and in the one after. */
  readonly before?: number;
  readonly after?: number;
}

/** Where texts differ more than this, all lines between count as other ones. */
const MAX_CELLS = 4_000_000;

/** The shortest way from one text to another, line by line. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  while (
    tail < Math.min(old.length, now.length) - head &&
    old[old.length - 1 - tail] === now[now.length - 1 - tail]
  ) {
    tail++;
  }
  const lines: DiffLine[] = [];
  const same = (i: number, j: number) =>
    lines.push({ kind: "same", text: old[i]!, before: i + 1, after: j + 1 });
  const removed = (i: number) => lines.push({ kind: "removed", text: old[i]!, before: i + 1 });
  const added = (j: number) => lines.push({ kind: "added", text: now[j]!, after: j + 1 });

  for (let i = 0; i < head; i++) same(i, i);
  const [oldEnd, nowEnd] = [old.length - tail, now.length - tail];
  let [i, j] = [head, head];
  const common = commonAfter(old.slice(head, oldEnd), now.slice(head, nowEnd));
  if (common) {
    while (i < oldEnd && j < nowEnd) {
      if (old[i] === now[j]) same(i++, j++);
      else if (common(i + 1 - head, j - head) >= common(i - head, j + 1 - head)) removed(i++);
      else added(j++);
    }
  }
  while (i < oldEnd) removed(i++);
  while (j < nowEnd) added(j++);
  for (let k = 0; k < tail; k++) same(oldEnd + k, nowEnd + k);
  return lines;
}

/** How many lines two texts have in common from these on; `undefined` if that would take too long. */
function commonAfter(
  old: readonly string[],
  now: readonly string[],
): ((i: number, j: number) => number) | undefined {
  const width = now.length + 1;
  if ((old.length + 1) * width > MAX_CELLS) return undefined;
  const table = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      table[i * width + j] =
        old[i] === now[j]
          ? table[(i + 1) * width + j + 1]! + 1
          : Math.max(table[(i + 1) * width + j]!, table[i * width + j + 1]!);
    }
  }
  return (i, j) => table[i * width + j]!;
}

/** Lines around a difference. */
const CONTEXT = 3;

/** What differs, with the lines around it. Each part is one place of the text. */
export function hunksOf(lines: readonly DiffLine[]): readonly (readonly DiffLine[])[] {
  const hunks: DiffLine[][] = [];
  let next = 0;
  lines.forEach(({ kind }, i) => {
    if (kind === "same") return;
    if (i - CONTEXT > next || hunks.length === 0) hunks.push([]);
    const from = Math.max(next, i - CONTEXT);
    next = Math.min(lines.length, i + CONTEXT + 1);
    hunks.at(-1)!.push(...lines.slice(from, next));
  });
  return hunks;
}
