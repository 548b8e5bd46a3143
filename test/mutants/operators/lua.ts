import luaparse from "luaparse";

import { BINARY, type Edit, exchange, misread, type Span, swapArguments, walk } from "./edit.ts";

const EQUALITY: Readonly<Record<string, string>> = { "==": "~=", "~=": "==" };
const LOGIC: Readonly<Record<string, string>> = { and: "or", or: "and" };
/** A map: names such as `constructor` are fields of any object. */
const EXTREMES = new Map([
  ["min", "max"],
  ["max", "min"],
]);

const PLAIN = new Set(["Identifier", "MemberExpression", "IndexExpression", "NumericLiteral"]);

/** Every small change that an operator makes of a Lua file, in the order of the text. */
export function breakLua(source: string): readonly Edit[] {
  const chunk = luaparse.parse(source, { luaVersion: "5.1", ranges: true, comments: false });
  const edits: Edit[] = [];
  const conditions = new Set<unknown>();

  function negate(condition: luaparse.Expression): void {
    conditions.add(condition);
    const { start, end } = spanOf(condition);
    const text = `not (${source.slice(start, end)})`;
    edits.push({ operator: "condition", start, end, text });
  }

  walk(chunk.body, (visited): boolean => {
    const node = visited as luaparse.Node;
    switch (node.type) {
      case "IfClause":
      case "ElseifClause":
      case "WhileStatement":
        negate(node.condition);
        break;
      case "LogicalExpression":
        edits.push(
          exchange(source, spanOf(node.left), spanOf(node.right), node.operator, [
            "logic",
            LOGIC[node.operator]!,
          ]),
        );
        break;
      case "BinaryExpression": {
        const [left, right] = [spanOf(node.left), spanOf(node.right)];
        const { operator } = node;
        if (BINARY[operator] !== undefined)
          edits.push(exchange(source, left, right, operator, BINARY[operator]));
        if (EQUALITY[operator] !== undefined && !conditions.has(node))
          edits.push(exchange(source, left, right, operator, ["equality", EQUALITY[operator]]));
        break;
      }
      case "NumericLiteral":
        edits.push(...misread(node.value, spanOf(node)));
        break;
      case "BooleanLiteral":
        edits.push({ operator: "boolean", ...spanOf(node), text: String(!node.value) });
        break;
      case "CallStatement":
        edits.push({ operator: "dropped call", ...spanOf(node), text: "do end" });
        break;
      case "CallExpression": {
        const args = node.arguments.map((arg) => ({
          ...spanOf(arg),
          isPlain: PLAIN.has(arg.type),
        }));
        edits.push(...swapArguments(source, args));
        if (node.base.type !== "MemberExpression") break;
        const { identifier } = node.base;
        const other = EXTREMES.get(identifier.name);
        if (other !== undefined)
          edits.push({ operator: "extreme", ...spanOf(identifier), text: other });
      }
    }
    return true;
  });
  return edits.sort((a, b) => a.start - b.start);
}

function spanOf(node: luaparse.Node): Span {
  const [start, end] = (node as luaparse.Node & { readonly range: [number, number] }).range;
  return { start, end };
}
