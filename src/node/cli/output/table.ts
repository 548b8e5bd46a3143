import Table from "cli-table3";
import stringWidth from "string-width";

import { escape } from "./escape.ts";
import { styled } from "./style.ts";

/** Every character of a border. */
const BORDERS =
  "top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle";

const NO_BORDERS = Object.fromEntries(BORDERS.split(" ").map((name) => [name, ""]));

const PADDING = 2;

/** The layout of one table takes time by the square of its rows. */
const ROWS = 500;

export type Cell = string | number | undefined;

/** A table with numbers to the right, without borders. Every cell is escaped. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const cells = rows.map((row) => row.map((cell) => escape(String(cell ?? "-"))));
  const widths = head.map((name, i) =>
    cells.reduce((width, row) => Math.max(width, stringWidth(row[i]!)), stringWidth(name)),
  );
  const colAligns = head.map((_, i) => (rows.some((row) => isNumber(row[i])) ? "right" : "left"));
  const part = (from: number) => {
    const built = new Table({
      chars: NO_BORDERS,
      style: { "padding-left": 0, "padding-right": PADDING, head: [], border: [] },
      ...(from === 0 && { head: head.map((name) => styled("bold", name)) }),
      colWidths: widths.map((width) => width + PADDING),
      colAligns,
    });
    built.push(...cells.slice(from, from + ROWS));
    return built.toString();
  };
  const parts = [part(0)];
  for (let from = ROWS; from < cells.length; from += ROWS) parts.push(part(from));
  return parts
    .join("\n")
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

function isNumber(cell: Cell): boolean {
  return typeof cell === "number";
}
