import type luaparse from "luaparse";

import { declaredBy, edit, localsIn, type Node, nodes, parse, type Ranged } from "./syntax.ts";

/** Stands between the name of a function and that of its variable where the function is inlined. */
export const JOINT = "__";

/** The kinds of arguments that can stand for their parameter wherever it is used. */
const SIMPLE = new Set([
  "Identifier",
  "NumericLiteral",
  "StringLiteral",
  "BooleanLiteral",
  "NilLiteral",
]);

/** A function to inline. */
export interface InlineFunction {
  readonly name: string;
  readonly text: string;
  readonly parameters: readonly string[];
  readonly body: readonly Ranged<luaparse.Statement>[];
  readonly returned: Ranged<luaparse.ReturnStatement> | undefined;
  /** The names of its variables, parameters among them. */
  readonly variables: ReadonlySet<string>;
  /** The names that it uses without declaring them. */
  readonly globals: ReadonlySet<string>;
}

/** A statement that consists of a call. */
export interface InlineCall {
  /** Whether it declares the variables that it assigns. */
  readonly declares: boolean;
  readonly targets: readonly string[];
  readonly given: readonly { readonly type: string; readonly text: string }[];
}

/** Parses the text of a function by itself, so that all but its own variables are global. */
export function parseInline(text: string): InlineFunction {
  const chunk = parse(text);
  const [declaration] = chunk.body as [Ranged<luaparse.FunctionDeclaration>];
  const { name } = declaration.identifier as luaparse.Identifier;
  const parameters = declaration.parameters.map((parameter) => {
    if (parameter.type !== "Identifier") throw new Error(`lua: ${name} takes ...`);
    return parameter.name;
  });
  const body = declaration.body as Ranged<luaparse.Statement>[];
  const last = body.at(-1);
  const returned = last?.type === "ReturnStatement" ? last : undefined;
  if (returnsIn(body) > (returned ? 1 : 0)) throw new Error(`lua: ${name} returns before its end`);
  const inBody = [{ ...declaration, parameters: [] } as unknown as Node, ...nodes(body)];
  const again = inBody.flatMap(declaredBy).find((variable) => parameters.includes(variable));
  if (again) throw new Error(`lua: ${name} declares its parameter ${again} again`);
  const variables = new Set(localsIn([declaration.parameters, body]).map((local) => local.name!));
  if (variables.has(name)) throw new Error(`lua: ${name} calls itself`);
  return {
    name,
    text,
    parameters,
    body: returned ? body.slice(0, -1) : body,
    returned,
    variables,
    globals: new Set(globalsOf(chunk)),
  };
}

/** How often code returns from the function that it stands in. */
function returnsIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const { type } = value as Node;
  if (type === "ReturnStatement") return 1;
  if (type === "FunctionDeclaration") return 0;
  return Object.values(value).reduce((sum: number, child) => sum + returnsIn(child), 0);
}

function globalsOf(chunk: luaparse.Chunk): string[] {
  const { globals } = chunk as luaparse.Chunk & { readonly globals: readonly Node[] };
  return globals.map(({ name }) => name!);
}

/** The replacement of a call: the body on names of its own, and the results in place of the call. */
export function expansionOf(inline: InlineFunction, call: InlineCall): string {
  const { name, text, parameters, body, returned, variables } = inline;
  const { declares, targets, given } = call;
  const results = returned?.arguments ?? [];
  if (given.length !== parameters.length) {
    throw new Error(`lua: ${name} takes ${parameters.length} arguments, not ${given.length}`);
  }
  if (targets.length !== results.length) {
    throw new Error(`lua: ${name} has ${results.length} results, not ${targets.length}`);
  }
  const complex = given.find(({ type }) => !SIMPLE.has(type));
  if (complex) throw new Error(`lua: ${name} takes names and literals, not ${complex.text}`);

  const names = new Map([...variables].map((variable) => [variable, name + JOINT + variable]));
  const assigned = assignedIn(body);
  const copied = parameters.filter((parameter) => assigned.has(parameter));
  parameters.forEach((parameter, i) => {
    if (!assigned.has(parameter)) names.set(parameter, given[i]!.text);
  });
  // If the results are variables and go into new ones: those variables take the new names from the start. A name
  // that also stands in the arguments would change its meaning too early.
  const returnedNames = results.map((result) => ("name" in result ? result.name : ""));
  const renamable = returnedNames.every(
    (result) => variables.has(result) && (!parameters.includes(result) || assigned.has(result)),
  );
  const direct =
    declares &&
    renamable &&
    new Set(returnedNames).size === targets.length &&
    !given.some((argument) => targets.includes(argument.text));
  if (direct) returnedNames.forEach((result, i) => names.set(result, targets[i]!));

  const copies = copied.map(
    (parameter) => `local ${names.get(parameter)} = ${given[parameters.indexOf(parameter)]!.text}`,
  );
  const left = `${declares ? "local " : ""}${targets.join(", ")} =`;
  const outcome =
    returned && !direct ? [withNames(text, [returned], names).replace(/^return/, () => left)] : [];
  return [...copies, withNames(text, body, names), ...outcome].join("\n");
}

/** The names of all variables that code assigns to, other than where it declares them. */
function assignedIn(body: unknown): Set<string> {
  const targets = nodes(body).flatMap((node) =>
    node.type === "AssignmentStatement"
      ? (node as unknown as luaparse.AssignmentStatement).variables
      : [],
  );
  return new Set(targets.flatMap((target) => (target.type === "Identifier" ? target.name : [])));
}

/** The text of statements that stand one after the other, with other names for its locals. */
function withNames(
  text: string,
  statements: readonly Ranged<luaparse.Statement>[],
  names: ReadonlyMap<string, string>,
): string {
  if (statements.length === 0) return "";
  const start = statements[0]!.range[0];
  const renames = localsIn(statements).map(({ range: [from, to], name }) => ({
    range: [from - start, to - start] as const,
    by: names.get(name!)!,
  }));
  return edit(text.slice(start, statements.at(-1)!.range[1]), renames);
}
