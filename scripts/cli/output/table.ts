import Table from "cli-table3";

import { escape } from "./escape.ts";
import { styled } from "./style.ts";

/** Every character of a border. */
const BORDERS =
  "top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle";

const NO_BORDERS = Object.fromEntries(BORDERS.split(" ").map((name) => [name, ""]));

export type Cell = string | number | undefined;

/** A table with numbers to the right, without borders. Every cell is escaped. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const built = new Table({
    chars: NO_BORDERS,
    style: { "padding-left": 0, "padding-right": 2, head: [], border: [] },
    head: head.map((name) => styled("bold", name)),
    colAligns: head.map((_, i) => (rows.some((row) => isNumber(row[i])) ? "right" : "left")),
  });
  built.push(...rows.map((row) => row.map((cell) => escape(String(cell ?? "-")))));
  return built
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

function isNumber(cell: Cell): boolean {
  return typeof cell === "number";
}
