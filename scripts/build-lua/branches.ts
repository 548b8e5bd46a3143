import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

import { commentsOf, type Node, nodes, parse } from "./syntax.ts";

/** Marks the place of one branch for each algorithm: the variables that it assigns, and the end of the functions' names. */
const DIRECTIVE = /^([ \t]*)-- @algorithms (.+) = NAME(\w*)\(\.\.\.\)$/gm;
/** In an algorithm's header: its names for the two parameters of its policies. */
const ARGUMENTS = /^ @arguments (\w+(?:, \w+)?)$/;

/**
 * The parameters that every function may take, by their names in the programs; the position of the policy's algorithm is `at`.
 */
const SHARED: Readonly<Record<string, string>> = {
  key: "key",
  value: "value",
  now: "now",
  operation: "pass",
  cost: "cost",
  limit: "limit",
  taken_at: "taken_at",
  slot: "arguments[5 * #KEYS + 3]",
  hold_ttl: "arguments[5 * #KEYS + 4]",
};
/** Its own arguments, in the order of the header. */
const OWN = ["arguments[at + 2] + 0", "arguments[at + 3] + 0"];

/**
 * Replaces the line `-- @algorithms results = NAME_suffix(...)` of a program in the folder `lua` by a branch for each file of
 * `lua/algorithms`, which includes the file and calls its function of that name. An argument of the function is one that all
 * have, or one that the file's header names. A function that takes `taken_at` is not called for a time in the future.
 */
export function expandBranches(program: string, folder: string): string {
  return program.replace(
    DIRECTIVE,
    (_line, indentation: string, results: string, suffix: string) => {
      const branches = algorithmsIn(folder).map((name) => branchOf(folder, name, results, suffix));
      return `${branches.join("else")}end`.replace(/^(?=.)/gm, indentation);
    },
  );
}

function algorithmsIn(folder: string): string[] {
  return readdirSync(join(folder, "algorithms"))
    .map((file) => basename(file, ".lua"))
    .sort();
}

function branchOf(folder: string, name: string, results: string, suffix: string): string {
  const file = `algorithms/${name}.lua`;
  const chunk = parse(readFileSync(join(folder, file), "utf8"));
  const called = name.replaceAll("-", "_") + suffix;
  const taken = parametersOf(chunk.body, called);
  if (!taken) throw new Error(`lua: ${file} has no function ${called}`);
  const own = commentsOf(chunk).flatMap(
    ({ value }) => ARGUMENTS.exec(value)?.[1]!.split(", ") ?? [],
  );
  const sources = new Map(
    taken.map((parameter) => [parameter, SHARED[parameter] ?? OWN[own.indexOf(parameter)]]),
  );
  const unknown = taken.find((parameter) => sources.get(parameter) === undefined);
  if (unknown) throw new Error(`lua: ${file} does not name ${unknown} after @arguments`);
  // Calls take names only, so that a body can stand in place of its call.
  const read = taken.filter((parameter) => sources.get(parameter)!.startsWith("arguments"));
  const passed = taken.map((parameter) =>
    read.includes(parameter) ? parameter : sources.get(parameter),
  );
  return [
    `if algorithm == '${name}'${taken.includes("taken_at") ? " and taken_at <= now" : ""} then`,
    `  -- @include ${file}`,
    ...(read.length > 0
      ? [
          `  local ${read.join(", ")} = ${read.map((parameter) => sources.get(parameter)).join(", ")}`,
        ]
      : []),
    `  ${results} = ${called}(${passed.join(", ")})\n`,
  ].join("\n");
}

/** The names of a function's parameters; `undefined` without that function. */
function parametersOf(body: unknown, called: string): string[] | undefined {
  for (const node of nodes(body)) {
    const { type, identifier, parameters } = node as Node & {
      readonly identifier?: Node;
      readonly parameters?: readonly Node[];
    };
    if (type === "FunctionDeclaration" && identifier?.name === called) {
      return parameters!.map(({ name }) => name!);
    }
  }
  return undefined;
}
