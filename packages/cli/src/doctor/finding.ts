/** The worst first. Errors and warnings make the doctor's exit code 1; a note asks for a decision, and is no fault. */
export const SEVERITIES = ["error", "warning", "note"] as const;

export type Severity = (typeof SEVERITIES)[number];

/** One fault of a deployment, with its evidence and its remedy. */
export interface Finding {
  /** Stable: scripts select findings by it. */
  readonly id: string;
  readonly severity: Severity;
  readonly title: string;
  readonly evidence: string;
  readonly remedy: string;
}

/** A fact worth showing that is no finding, or one that could not be found out. */
export interface Observation {
  readonly name: string;
  readonly value: string;
}

export interface Report {
  /** The worst first. */
  readonly findings: readonly Finding[];
  readonly observations: readonly Observation[];
}

/** One finding for each id, as two checks may see the same fault, the worst first. */
export function sortFindings(findings: readonly Finding[]): readonly Finding[] {
  const first = findings.filter(({ id }, i) => findings.findIndex((one) => one.id === id) === i);
  return first.sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
}

export function exitCodeOf({ findings }: Report): 0 | 1 {
  return findings.some(({ severity }) => severity !== "note") ? 1 : 0;
}
