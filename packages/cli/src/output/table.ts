import stringWidth from "string-width";

import { escape } from "./escape.ts";
import { styled } from "./style.ts";

const GAP = "  ";

export type Cell = string | number | undefined;

/** A table with numbers to the right, without borders. Every cell is escaped. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const cells = rows.map((row) => row.map((cell) => escape(String(cell ?? "-"))));
  const columns = head.map((name, i) => ({
    width: cells.reduce((width, row) => Math.max(width, stringWidth(row[i]!)), stringWidth(name)),
    isRight: rows.some((row) => typeof row[i] === "number"),
  }));
  const line = (texts: readonly string[]) =>
    columns
      .map(({ width, isRight }, i) => {
        const text = texts[i]!;
        const blanks = " ".repeat(width - stringWidth(text));
        return isRight ? blanks + text : text + blanks;
      })
      .join(GAP)
      .trimEnd();
  return [line(head.map((name) => styled("bold", name))), ...cells.map(line)].join("\n");
}
