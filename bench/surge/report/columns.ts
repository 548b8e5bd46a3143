import { styled } from "../../../packages/cli/src/output/style.ts";
import { wrapWords } from "../../../scripts/support/wrap-words.ts";

/** The name of a row is wrapped, so that more columns stand beside each other. */
const NAME_WIDTH = 26;
const GAP = 2;

/** A table with a heading for a terminal of this many columns: those that do not fit beside the others follow below. */
export function inColumns(rows: readonly (readonly string[])[], columns: number): string {
  const names = rows.map(([name = ""]) => wrapWords(name, NAME_WIDTH).split("\n"));
  const nameWidth = widest(names.flat());
  const blocks: number[][] = [[]];
  let used = nameWidth;
  for (let column = 1; column < rows[0]!.length; column++) {
    const width = GAP + widthOf(column);
    if (used + width >= columns && blocks.at(-1)!.length > 0) {
      blocks.push([]);
      used = nameWidth;
    }
    blocks.at(-1)!.push(column);
    used += width;
  }
  return blocks.map((block) => rows.map((_row, i) => rowOf(i, block)).join("\n")).join("\n\n");

  function rowOf(i: number, block: readonly number[]): string {
    const cells = block.map((column) => rows[i]![column]!.padStart(GAP + widthOf(column)));
    const [first, ...others] = names[i]!;
    const line = [first!.padEnd(nameWidth), ...cells].join("").trimEnd();
    return [i === 0 ? styled("bold", line) : line, ...others.map((name) => `  ${name}`)].join("\n");
  }

  function widthOf(column: number): number {
    return widest(rows.map((row) => row[column]!));
  }
}

function widest(texts: readonly string[]): number {
  return Math.max(...texts.map(({ length }) => length));
}
