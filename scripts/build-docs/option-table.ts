import { markdownTable } from "../support/markdown-table.ts";
import type { Option } from "./interface.ts";

const HEADINGS = ["option", "type", "default", "range", "meaning"];

/**
 * A Markdown table of options. A column that would be empty is left out.
 *
 * @throws Error naming the option whose docstring does not have the form that CONTRIBUTING.md describes
 */
export function optionTable(options: readonly Option[]): string {
  const rows = options.map((option) => {
    const { meaning, range, standard } = partsOf(option);
    return [`\`${option.name}\``, `\`${option.type}\``, standard, range, meaning];
  });
  const used = HEADINGS.map((_heading, column) => rows.some((row) => row[column] !== ""));
  return markdownTable(
    [HEADINGS, ...rows].map((row) => row.filter((_cell, column) => used[column])),
  );
}

/**
 * The parts of a docstring: the meaning, then `Range: ....` if values have one, then `Default: ....` if the option may
 * be left out. Tags such as `@example` are for editors only.
 */
function partsOf({ name, required, doc }: Option) {
  const text = doc
    .replace(/^@[^]*$/m, "")
    .replace(/\s+/g, " ")
    .trim();
  const match = /^(.+?\.)(?: Range: (.+?)\.)?(?: Default: (.+)\.)?$/.exec(text);
  const [, meaning, range = "", standard] = match ?? [];
  if (meaning === undefined || /(?:Range|Default): /.test(meaning)) {
    throw new Error(`${name}: write its meaning, then "Range: ....", then "Default: ...."`);
  }
  if ((standard === undefined) !== required) {
    throw new Error(
      required
        ? `${name} must be given, so that it has no default: drop "Default: ...."`
        : `${name} may be left out: end its docstring with "Default: ...."`,
    );
  }
  return { meaning, range, standard: standard ?? "required" };
}
