import { type Finding, type Report, SEVERITIES } from "../doctor/finding.ts";
import { escape } from "./escape.ts";
import { count } from "./print.ts";
import { styled } from "./style.ts";
import { table } from "./table.ts";

const COLOURS = { error: "red", warning: "yellow", note: "bold" } as const;

/** The doctor's report for people: the findings, their number, and the observations. */
export function reportLines({ findings, observations }: Report): readonly string[] {
  const seen = observations.map(({ name, value }) => [name, value]);
  return [
    ...findings.flatMap(findingLines),
    summaryOf(findings),
    ...(seen.length > 0 ? ["", table(["seen", "value"], seen)] : []),
  ];
}

function findingLines({ id, severity, title, evidence, remedy }: Finding): readonly string[] {
  return [
    `${styled(COLOURS[severity], `${severity}:`)} ${escape(title)} (${escape(id)})`,
    `  evidence: ${escape(evidence)}`,
    `  remedy:   ${escape(remedy)}`,
    "",
  ];
}

function summaryOf(findings: readonly Finding[]): string {
  const counts = SEVERITIES.flatMap((severity) => {
    const number = findings.filter((finding) => finding.severity === severity).length;
    return number === 0 ? [] : [count(number, severity)];
  });
  return counts.length === 0 ? "No findings." : counts.join(", ");
}
