import { basename } from "node:path";

import { isRecord } from "../../../../src/options/record.ts";
import { isShallow, MAX_DEPTH } from "../depth.ts";
import type { ApiFault } from "../errors.ts";
import { faultsOfDocument, faultsOfVariables } from "./faults-of.ts";
import { parseJson } from "./parse-json.ts";
import { parseToml } from "./parse-toml.ts";
import { findPath, type Parsed, positionOf, type TextPosition } from "./text-position.ts";

export interface PlacedFault extends ApiFault, TextPosition {
  readonly file: string;
}

/** Variables of a wrangler file: `vars`, or those of an environment. */
interface Variables {
  readonly path: string;
  readonly vars: Readonly<Record<string, unknown>>;
  /** The names under which Durable Objects are bound beside them. */
  readonly bindings: readonly unknown[];
}

/** Parses a file in the format that its name ends with. */
export function parseFile(file: string, text: string): Parsed {
  // An editor's byte order mark is no part of the document.
  const content = text.replace(/^\uFEFF/, "");
  try {
    const parsed = file.endsWith(".toml") ? parseToml(content) : parseJson(content);
    return isShallow(parsed.value) ? parsed : tooDeep(content);
  } catch (error) {
    // Both parsers call themselves for each level.
    if (error instanceof RangeError) return tooDeep(content);
    throw error;
  }
}

function tooDeep(text: string): Parsed {
  const remedy = `Nest objects and lists at most ${MAX_DEPTH} deep.`;
  const faults = [{ offset: 0, value: "nested deeper", remedy }];
  return { text, value: undefined, root: { offset: 0, children: new Map() }, faults };
}

/** Every fault of a file with live rules, or of a wrangler file with variables, in the order of the file. */
export function checkText(file: string, text: string): readonly PlacedFault[] {
  const parsed = parseFile(file, text);
  if (parsed.faults.length > 0) return syntaxFaults(file, parsed);
  const faults = isWrangler(file, parsed.value)
    ? faultsOfWrangler(parsed.value)
    : faultsOfDocument(parsed.value);
  return placeFaults(file, parsed, faults);
}

export function syntaxFaults(file: string, { text, faults }: Parsed): readonly PlacedFault[] {
  return faults.map(({ offset, value, remedy }) => ({
    file,
    ...positionOf(text, offset),
    path: "",
    value,
    remedy,
  }));
}

export function placeFaults(
  file: string,
  { text, root }: Parsed,
  faults: readonly ApiFault[],
): readonly PlacedFault[] {
  return faults
    .map(({ path, code, value, remedy }) => {
      const { offset } = findPath(root, path);
      return { file, ...positionOf(text, offset), path, code, value, remedy };
    })
    .sort((a, b) => a.line - b.line || a.column - b.column);
}

function isWrangler(file: string, value: unknown): boolean {
  if (file.endsWith(".toml") || /^wrangler\b/.test(basename(file))) return true;
  return isRecord(value) && !("rules" in value) && ("vars" in value || "env" in value);
}

/** The variables of a wrangler file that hold rules, plans or lists; none of another file. */
export function checkedVariables(file: string, value: unknown): readonly Variables[] {
  return isWrangler(file, value) ? withRules(value) : [];
}

/** The variables of a wrangler file for a gateway: each environment has its own. */
export function gatewayVariables(file: string, value: unknown): readonly Variables[] {
  if (!isWrangler(file, value)) return [];
  return variablesOf(value).filter(({ vars }) => "ORIGIN" in vars || "RULES" in vars);
}

function withRules(value: unknown): readonly Variables[] {
  return variablesOf(value).filter(
    ({ vars }) => "RULES" in vars || "PLANS" in vars || "LISTS" in vars,
  );
}

function faultsOfWrangler(value: unknown): readonly ApiFault[] {
  const all = withRules(value);
  if (all.length === 0) {
    const remedy =
      "There are no rules here: give them as RULES below vars, in TOML as tables [[vars.RULES]].";
    return [{ path: "vars.RULES", value: "missing", remedy }];
  }
  return all.flatMap(({ path, vars, bindings }) =>
    faultsOfVariables(vars, bindings).map(({ path: inside, code, value, remedy }) => ({
      path: `${path}.${inside}`,
      code,
      value,
      remedy,
    })),
  );
}

/** Environments inherit neither variables nor Durable Objects, so that each is checked alone. */
function variablesOf(value: unknown): readonly Variables[] {
  if (!isRecord(value)) return [];
  const { env } = value;
  const environments = isRecord(env) ? Object.entries(env) : [];
  const named = environments.map(([name, each]) => [`env.${name}.vars`, Object(each)] as const);
  return [["vars", value] as const, ...named].flatMap(([path, { vars, durable_objects }]) =>
    isRecord(vars) ? [{ path, vars, bindings: namesOf(durable_objects) }] : [],
  );
}

/** The names of bindings, such as of `durable_objects`. */
function namesOf(section: unknown): readonly unknown[] {
  const { bindings } = Object(section) as { readonly bindings?: unknown };
  return Array.isArray(bindings) ? bindings.map((binding) => Object(binding).name) : [];
}
