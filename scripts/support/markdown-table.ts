/** A Markdown table, aligned as the formatter aligns it. The first row has the headings. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = cells[0]!.map((_heading, column) =>
    Math.max(3, ...cells.map((row) => row[column]!.length)),
  );
  const [headings, ...lines] = cells.map((row) =>
    row.map((cell, column) => cell.padEnd(widths[column]!)),
  );
  const rule = widths.map((width) => "-".repeat(width));
  return [headings!, rule, ...lines].map((row) => `| ${row.join(" | ")} |`).join("\n");
}
