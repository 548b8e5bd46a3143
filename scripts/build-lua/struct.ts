import type luaparse from "luaparse";

import { edit, type Edit, type Node, nodes, parse, type Ranged } from "./syntax.ts";

/** Seven bytes hold every whole number that Lua's numbers hold exactly, those below 2^53. */
const MAX_WIDTH = 7;
/** The names of the words, and of the bytes that they stand for. */
const RESERVED = /^(?:(?:bytes|number|char)\d+|_\d+)$/;

type Call = Ranged<luaparse.CallExpression>;
type Assignment = Ranged<luaparse.LocalStatement | luaparse.AssignmentStatement>;

/**
 * Replaces calls of Redis's struct library by string.byte, string.char and words that `expandNumbers()` turns into arithmetic: they
 * cost less there than a format that is read anew with each call, and not every server of Redis's protocol has the library. The
 * source means the same without it. These are the forms that it knows, of numbers of 1 to 7 bytes, the highest byte first:
 *
 *     local ends, used = struct.unpack('>I7 I4', value, 1)     or as an assignment; from a literal or a name on
 *     redis.call('SET', key, struct.pack('>I7 I4', ends, used))     of names, anywhere
 */
export function expandStructs(source: string): string {
  const chunk = parse(source);
  const edits: Edit[] = [];
  let expanded = 0;
  for (const node of nodes(chunk.body)) {
    if (isCall(node, "pack")) {
      edits.push({ range: node.range, by: packed(node, source) });
      expanded++;
    }
    const { type, init } = node as unknown as Assignment;
    if (type !== "LocalStatement" && type !== "AssignmentStatement") continue;
    if (init.length === 1 && isCall(init[0], "unpack")) {
      edits.push({
        range: node.range,
        by: unpacked(node as unknown as Assignment, init[0], source),
      });
      expanded++;
    }
  }
  const identifiers = nodes(chunk.body).filter(({ type }) => type === "Identifier");
  if (identifiers.filter(({ name }) => name === "struct").length !== expanded) {
    throw new Error("lua: struct is used in a way that the build does not know");
  }
  const reserved = identifiers.find(({ name }) => RESERVED.test(name!));
  if (reserved) throw new Error(`lua: the name ${reserved.name} is the build's`);
  return edit(source, edits);
}

function isCall(value: unknown, operation: string): value is Call {
  const { type, base: callee } = value as Call;
  if (type !== "CallExpression" || callee.type !== "MemberExpression") return false;
  const { base, identifier } = callee;
  return base.type === "Identifier" && base.name === "struct" && identifier.name === operation;
}

/** The widths of a format's numbers, in bytes: '>I7 I4' has 7 and 4. */
function widthsOf(format: luaparse.Expression | undefined, count: number): number[] {
  const text = format?.type === "StringLiteral" ? format.raw.slice(1, -1) : "";
  if (!/^>I\d( I\d)*$/.test(text)) throw new Error(`lua: '${text}' is not a format like '>I7 I4'`);
  const widths = text.match(/\d/g)!.map(Number);
  if (widths.some((width) => width < 1 || width > MAX_WIDTH)) {
    throw new Error(`lua: '${text}' has a number that is not of 1 to ${MAX_WIDTH} bytes`);
  }
  if (widths.length !== count) {
    throw new Error(`lua: '${text}' has ${widths.length} numbers, not ${count}`);
  }
  return widths;
}

/** `bytes11 = string.byte(value, 1, 11)`, and the numbers of those. */
function unpacked({ variables, range }: Assignment, call: Call, source: string): string {
  const [format, value, at, ...others] = call.arguments;
  const widths = widthsOf(format, variables.length);
  if (value?.type !== "Identifier" || others.length > 0) {
    throw new Error("lua: struct.unpack takes a format, a name and a position");
  }
  const total = widths.reduce((sum, width) => sum + width, 0);
  const targets = source.slice(range[0], (variables as unknown as Node[]).at(-1)!.range[1]);
  return [
    `bytes${total} = string.byte(${value.name}, ${span(at, total)})`,
    `${targets} = ${widths.map((width) => `number${width}`).join(", ")}`,
  ].join("\n");
}

/** The first and the last position of this many bytes. */
function span(at: luaparse.Expression | undefined, total: number): string {
  if (at?.type === "NumericLiteral") return `${at.value}, ${at.value + total - 1}`;
  if (at?.type === "Identifier") return `${at.name}, ${at.name} + ${total - 1}`;
  throw new Error("lua: struct.unpack reads from a literal or a name on");
}

function packed({ arguments: [format, ...values] }: Call, source: string): string {
  const widths = widthsOf(format, values.length);
  const bytes = widths.map((width, i) => {
    const value = values[i]!;
    if (value.type !== "Identifier") {
      const [from, to] = (value as unknown as Node).range;
      throw new Error(`lua: struct.pack takes names, not '${source.slice(from, to)}'`);
    }
    return `char${width}(${value.name})`;
  });
  return `string.char(${bytes.join(", ")})`;
}
