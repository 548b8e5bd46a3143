import Table from "cli-table3";

import type { Report } from "./finding.ts";

const WIDTHS = [9, 34, 44, 60];

/** The report for people: a table of findings, and what was seen. */
export function printTable({ findings, observations }: Report): string {
  const seen = observations.map(({ name, value }) => `  ${name.padEnd(22)}${value}`).join("\n");
  return [tableOf(findings), summaryOf(findings), seen].filter((part) => part !== "").join("\n\n");
}

function tableOf(findings: Report["findings"]): string {
  if (findings.length === 0) return "";
  const table = new Table({
    head: ["", "finding", "evidence", "remedy"],
    colWidths: WIDTHS,
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const { id, severity, title, evidence, remedy } of findings) {
    table.push([severity, `${title} (${id})`, evidence, remedy]);
  }
  return table.toString();
}

function summaryOf(findings: Report["findings"]): string {
  const counts = (["error", "warning", "note"] as const).flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [`${count} ${severity}${count === 1 ? "" : "s"}`];
  });
  return counts.length === 0 ? "No finding." : counts.join(", ");
}
