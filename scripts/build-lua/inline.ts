import type luaparse from "luaparse";

import { expansionOf, type InlineCall, JOINT, parseInline } from "./inline-function.ts";
import {
  commentsOf,
  edit,
  isLocalName,
  localsIn,
  type Node,
  nodes,
  parse,
  type Ranged,
} from "./syntax.ts";

/**
 * Replaces the calls of each function that has `-- @inline` above it by its body, and drops the function: a step of an
 * algorithm gets a name, parameters and results, and costs neither a closure nor a call. The source means the same
 * without it.
 *
 * A call is the whole right side of an assignment or of a `local` statement, or a statement of its own; it takes names
 * and literals. The function returns at its end or not at all, and uses no locals but its own. A function that a program
 * never calls is dropped from it, so that one file can have the functions of several programs.
 */
export function inlineFunctions(source: string): string {
  const reserved = localsIn(parse(source).body).find(({ name }) => name!.includes(JOINT));
  if (reserved) throw new Error(`lua: ${reserved.name}: names with ${JOINT} are the build's`);
  // In their order, so that each one's body is free of calls of others when its turn comes.
  for (;;) {
    const chunk = parse(source);
    const all = nodes(chunk.body);
    const marked = firstMarked(source, chunk, all);
    if (!marked) return source;
    source = inlineOne(source, all, marked);
  }
}

interface Marked {
  readonly marker: Node;
  readonly declaration: Node;
}

function firstMarked(
  source: string,
  chunk: luaparse.Chunk,
  all: readonly Node[],
): Marked | undefined {
  const marker = commentsOf(chunk).find(({ value }) => value === " @inline");
  if (!marker) return undefined;
  const declaration = all.find(
    ({ type, isLocal, range }) =>
      type === "FunctionDeclaration" &&
      isLocal &&
      range[0] > marker.range[1] &&
      source.slice(marker.range[1], range[0]).trim() === "",
  );
  if (!declaration) throw new Error("lua: @inline without a local function below it");
  return { marker, declaration };
}

function inlineOne(source: string, all: readonly Node[], { marker, declaration }: Marked): string {
  const inline = parseInline(source.slice(...declaration.range));
  const { name, globals } = inline;
  const locals = all.filter(isLocalName);
  const foreign = locals.find((local) => globals.has(local.name!));
  if (foreign) throw new Error(`lua: ${name} uses ${foreign.name}, a local of its surroundings`);

  const calls = callStatements(source, all, name);
  const uses = locals.filter((local) => local.name === name).length - 1;
  if (uses !== calls.length) throw new Error(`lua: ${name} is used where it cannot be inlined`);
  return edit(source, [
    { range: [marker.range[0], declaration.range[1]], by: "" },
    ...calls.map((call) => ({ range: call.range, by: expansionOf(inline, call) })),
  ]);
}

/** The statements that consist of a call of this function. */
function callStatements(source: string, all: readonly Node[], name: string) {
  const textOf = (node: unknown) => source.slice(...(node as Node).range);
  return all.flatMap((node): (InlineCall & Pick<Node, "range">)[] => {
    const statement = node as unknown as Ranged<luaparse.Statement>;
    let targets: readonly luaparse.Node[] = [];
    let call: luaparse.Expression | undefined;
    if (statement.type === "CallStatement") {
      call = statement.expression;
    } else if (statement.type === "LocalStatement" || statement.type === "AssignmentStatement") {
      targets = statement.variables;
      if (statement.init.length === 1) [call] = statement.init;
    }
    if (call?.type !== "CallExpression") return [];
    if (call.base.type !== "Identifier" || call.base.name !== name) return [];
    return [
      {
        range: statement.range,
        declares: statement.type === "LocalStatement",
        targets: targets.map(textOf),
        given: call.arguments.map((argument) => ({ type: argument.type, text: textOf(argument) })),
      },
    ];
  });
}
