import { type Expression, type Node, parseSync } from "oxc-parser";

import {
  BINARY,
  type Edit,
  exchange,
  misread,
  type Operator,
  type Span,
  swapArguments,
  walk,
} from "./edit.ts";

const EQUALITY: Readonly<Record<string, string>> = { "===": "!==", "!==": "===" };
const LOGIC: Readonly<Record<string, string>> = { "&&": "||", "||": "&&", "??": "&&" };
const UPDATES: Readonly<Record<string, string>> = { "++": "--", "--": "++" };
const ASSIGNMENTS: Readonly<Record<string, string>> = { "+=": "-=", "-=": "+=" };
/** A map: names such as `constructor` are fields of any object. */
const EXTREMES = new Map([
  ["min", "max"],
  ["max", "min"],
]);

/** Types have no effect at run time. Of a node with both, the value is visited. */
const VALUES = new Set(["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression"]);
const PLAIN = new Set(["Identifier", "MemberExpression", "Literal"]);

/** Every small change that an operator makes of a TypeScript file, JSX included, in the order of the text. */
export function breakTypeScript(source: string, file: string): readonly Edit[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`);
  const edits: Edit[] = [];
  /** Conditions as a whole: an equality that is one would be broken twice alike. */
  const conditions = new Set<unknown>();
  function negate(test: Expression | null): void {
    if (test === null) return;
    conditions.add(test);
    edits.push(edit(test, "condition", `!(${source.slice(test.start, test.end)})`));
  }

  walk(program, (visited): boolean => {
    const node = visited as Node;
    switch (node.type) {
      case "ImportDeclaration":
        return false;
      case "IfStatement":
      case "ConditionalExpression":
      case "WhileStatement":
      case "ForStatement":
        negate(node.test);
        break;
      case "LogicalExpression":
        edits.push(
          exchange(source, node.left, node.right, node.operator, ["logic", LOGIC[node.operator]!]),
        );
        break;
      case "BinaryExpression": {
        const { left, right, operator } = node;
        const binary = BINARY[operator];
        if (binary !== undefined && !(operator === "+" && (isText(left) || isText(right))))
          edits.push(exchange(source, left, right, operator, binary));
        if (EQUALITY[operator] !== undefined && !conditions.has(node))
          edits.push(exchange(source, left, right, operator, ["equality", EQUALITY[operator]]));
        break;
      }
      case "AssignmentExpression":
        if (ASSIGNMENTS[node.operator] !== undefined && !isText(node.right))
          edits.push(
            exchange(source, node.left, node.right, node.operator, [
              "arithmetic",
              ASSIGNMENTS[node.operator]!,
            ]),
          );
        break;
      case "UpdateExpression": {
        const start = node.prefix ? node.start : node.end - 2;
        edits.push(edit({ start, end: start + 2 }, "arithmetic", UPDATES[node.operator]!));
        break;
      }
      case "Literal":
        if (typeof node.value === "number") edits.push(...misread(node.value, node));
        if (typeof node.value === "boolean") edits.push(edit(node, "boolean", String(!node.value)));
        break;
      case "ExpressionStatement": {
        const { expression } = node;
        const dropped = expression.type === "AwaitExpression" ? expression.argument : expression;
        if (dropped.type === "CallExpression") edits.push(edit(node, "dropped call", ";"));
        break;
      }
      case "CallExpression": {
        const { callee, arguments: args } = node;
        edits.push(
          ...swapArguments(
            source,
            args.map(({ type, start, end }) => ({ start, end, isPlain: PLAIN.has(type) })),
          ),
        );
        if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") break;
        const other = EXTREMES.get(callee.property.name);
        if (other !== undefined) edits.push(edit(callee.property, "extreme", other));
        break;
      }
      default:
        return VALUES.has(node.type) || !node.type.startsWith("TS");
    }
    return true;
  });
  return edits.sort((a, b) => a.start - b.start);
}

function edit({ start, end }: Span, operator: Operator, text: string): Edit {
  return { operator, start, end, text };
}

/** A sum with it joins texts. */
function isText(node: Node): boolean {
  if (node.type === "TemplateLiteral") return true;
  if (node.type === "BinaryExpression") return isText(node.left) || isText(node.right);
  return node.type === "Literal" && typeof node.value === "string";
}
