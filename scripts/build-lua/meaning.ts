import type luaparse from "luaparse";

import type { Node } from "./syntax.ts";

/**
 * A program's syntax tree without positions, each local variable replaced by the number of its declaration: the trees of
 * two programs are equal when the programs differ in spaces, comments and names of locals only.
 */
export function meaningOf(chunk: luaparse.Chunk): unknown {
  const declarations = declarationsOf(chunk);
  return strip(chunk.body);

  function strip(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(strip);
    if (typeof value !== "object" || value === null) return value;
    const declaration = declarations.get(value as Node);
    if (declaration !== undefined) return declaration;
    const entries = Object.entries(value).filter(([key]) => key !== "range");
    return Object.fromEntries(entries.map(([key, child]) => [key, strip(child)]));
  }
}

/** The number of the declaration, for each place where a local variable is declared or used. */
function declarationsOf(chunk: luaparse.Chunk): ReadonlyMap<Node, number> {
  const numbers = new Map<Node, number>();
  let count = 0;
  visitBlock(chunk.body, new Map());
  return numbers;

  /** Its variables end with it; those of the block around it stay as they are. */
  function visitBlock(value: unknown, outer: Map<string, number>, declared: unknown = []): void {
    const scope = new Map(outer);
    declare(declared, scope);
    visit(value, scope);
  }

  function declare(variables: unknown, scope: Map<string, number>): void {
    for (const variable of variables as readonly Node[]) {
      scope.set(variable.name!, ++count);
      numbers.set(variable, count);
    }
  }

  function visit(value: unknown, scope: Map<string, number>): void {
    if (typeof value !== "object" || value === null) return;
    const node = value as luaparse.Node;
    switch (node.type) {
      case "Identifier": {
        const number = scope.get(node.name);
        if ((node as unknown as Node).isLocal) numbers.set(node as unknown as Node, number!);
        return;
      }
      case "LocalStatement":
        visit(node.init, scope);
        return declare(node.variables, scope);
      case "FunctionDeclaration":
        if (node.isLocal) declare([node.identifier], scope);
        else visit(node.identifier, scope);
        return visitBlock(
          node.body,
          scope,
          node.parameters.filter(({ type }) => type === "Identifier"),
        );
      case "ForNumericStatement":
        visit([node.start, node.end, node.step], scope);
        return visitBlock(node.body, scope, [node.variable]);
      case "ForGenericStatement":
        visit(node.iterators, scope);
        return visitBlock(node.body, scope, node.variables);
      case "RepeatStatement":
        // The condition of a repeat may use the variables of its body.
        return visitBlock([node.body, node.condition], scope);
      case "DoStatement":
      case "WhileStatement":
      case "IfClause":
      case "ElseifClause":
      case "ElseClause":
        if ("condition" in node) visit(node.condition, scope);
        return visitBlock(node.body, scope);
      default:
        for (const child of Object.values(node)) visit(child, scope);
    }
  }
}
