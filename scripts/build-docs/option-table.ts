import { markdownTable } from "../support/markdown-table.ts";
import type { MadeValue } from "./function.ts";
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
    return [`\`${option.name}\``, `\`${typeOf(option)}\``, standard, range, meaning];
  });
  return withoutEmptyColumns([HEADINGS, ...rows]);
}

/** A Markdown table of functions that make values. */
export function functionTable(functions: readonly MadeValue[]): string {
  const rows = functions.map(({ call, doc, parameters }) => {
    const parts = parameters.map((parameter) => ({
      name: parameter.name,
      ...PARAMETER.exec(parameter.doc)!.groups,
    })) as readonly ParameterParts[];
    const told = parts.flatMap(({ name, meaning }) =>
      meaning ? [`\`${name}\`: ${meaning.replace(/\.?$/, ".")}`] : [],
    );
    const allOf = (part: "range" | "standard") => parts.flatMap((each) => each[part] ?? []);
    const meaning = [doc, ...told].join(" ");
    return [`\`${call}\``, allOf("standard").join("; "), allOf("range").join("; "), meaning];
  });
  return withoutEmptyColumns([["value", ...HEADINGS.slice(2)], ...rows]);
}

interface ParameterParts {
  readonly name: string;
  readonly meaning?: string;
  readonly range?: string;
  readonly standard?: string;
}

/** What a parameter means, then its range, then its default; each may be absent. */
const PARAMETER =
  /^(?<meaning>.*?[^:])??(?: ?Range: (?<range>.+?))?(?:\.? ?Default: (?<standard>.+?))?\.?$/;

function withoutEmptyColumns([headings, ...rows]: readonly (readonly string[])[]): string {
  const used = headings!.map((_heading, column) => rows.some((row) => row[column] !== ""));
  return markdownTable(
    [headings!, ...rows].map((row) => row.filter((_cell, column) => used[column])),
  );
}

/** The type as a reader needs it: that of a value as the function that makes it. */
function typeOf({ type }: Option): string {
  return type
    .replace(/^Of\[\]$/, "Policy[]")
    .replace('RedisEndpoint | OptionValue<"redis">', "Redis")
    .replaceAll(/OptionValue<"(\w+)">/g, "$1()");
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
