import type { Result } from "./mutant.ts";

/** One line about a mutant. */
export function lineOf({ mutant, outcome, by, seconds }: Result): string {
  const said = outcome === "noticed" ? `noticed by ${by}` : outcome.toUpperCase();
  return `${mutant.name} | ${said} | ${seconds} s`;
}

/** The output for programs: a row for each mutant, in the order in which they ended. */
export function jsonOf(results: readonly Result[]): string {
  const rows = results.map(({ mutant, outcome, by, seconds }) => {
    const { name, file, line, operator, was, text } = mutant;
    return { name, file, line, operator, was, text, outcome, by, seconds };
  });
  return JSON.stringify(rows, null, 2);
}

/** The share of each operator's mutants that was noticed, and then those that survived. */
export function summaryOf(results: readonly Result[]): string {
  const operators = [...new Set(results.map(({ mutant }) => mutant.operator))].sort();
  const lines = operators.map((operator) => {
    const own = results.filter(({ mutant }) => mutant.operator === operator);
    return `${operator}: ${noticed(own)} of ${own.length} noticed`;
  });
  const survivors = results.filter(({ outcome }) => outcome === "survived");
  return [
    ...lines,
    `all: ${noticed(results)} of ${results.length} noticed`,
    ...(survivors.length > 0 ? ["", "Survived:"] : []),
    ...survivors.map(({ mutant }) => `- ${mutant.name}`),
  ].join("\n");
}

/** How many did not survive. */
export function noticed(results: readonly Result[]): number {
  return results.filter(({ outcome }) => outcome !== "survived").length;
}
