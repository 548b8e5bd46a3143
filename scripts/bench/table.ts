import { significant } from "../support/significant.ts";
import { type Figure, meets } from "./figure.ts";

/** The figures of a part, one row each, in columns. */
export function table(part: string, figures: readonly Figure[]): string {
  const rows = [
    ["figure", "Tidegate", "peer", "", "ratio (min..max)", "target", ""],
    ...figures.map(row),
  ];
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((cells) => cells[i]!.length)));
  const lines = rows.map((cells) =>
    cells
      .map((cell, i) => ([1, 2].includes(i) ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
      .join("  ")
      .trimEnd(),
  );
  return `\n${part}\n\n${lines.join("\n")}\n`;
}

function row(figure: Figure): string[] {
  const { name, unit, tidegate, peer, ratio, target } = figure;
  const met = meets(figure);
  const number = (value: number) => `${significant(value)}${unit && ` ${unit}`}`;
  return [
    name,
    number(tidegate),
    peer ? number(peer.value) : "",
    peer?.name ?? "",
    ratio
      ? `${significant(ratio.median)} (${significant(ratio.min)}..${significant(ratio.max)})`
      : "",
    target
      ? `${target.of === "ratio" ? "ratio" : "value"} ${target.bound} ${significant(target.value)}`
      : "",
    met === undefined ? "" : met ? "ok" : "short",
  ];
}
