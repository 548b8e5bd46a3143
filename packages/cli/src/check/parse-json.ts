import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

import type { Parsed, Placed, SyntaxFault } from "./text-position.ts";

/** The remedy for each of the parser's errors. */
const REMEDIES: Readonly<Record<string, string>> = {
  InvalidSymbol: "Write text in double quotes; without them only true, false and null are words.",
  InvalidNumberFormat: "Write the number as JSON does, such as 20 or 0.5.",
  PropertyNameExpected: "Write a name in double quotes here.",
  ValueExpected: "Write a value here.",
  ColonExpected: "Write a colon between a name and its value.",
  CommaExpected: "Write a comma before this.",
  CloseBraceExpected: "Close the object with }.",
  CloseBracketExpected: "Close the list with ].",
  EndOfFileExpected: "Leave this out: the document has ended before it.",
  InvalidCommentToken: "Write comments as // or /* */.",
  UnexpectedEndOfComment: "End the comment with */.",
  UnexpectedEndOfString: "End the text with a double quote on the same line.",
  UnexpectedEndOfNumber: "Write digits after the point or the exponent.",
  InvalidUnicode: "Write four hexadecimal digits after \\u.",
  InvalidEscapeCharacter:
    'Only \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u may follow a backslash. Write \\\\ for one.',
  InvalidCharacter: "Write a control character as an escape, such as \\n or \\u0007.",
};

/** Parses JSON with comments and trailing commas. */
export function parseJson(text: string): Parsed {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const faults: SyntaxFault[] = errors.slice(0, 1).map(({ error, offset, length }) => ({
    offset,
    value: shorten(text.slice(offset, offset + length)),
    remedy: REMEDIES[printParseErrorCode(error)] ?? "This is not JSON.",
  }));
  const root: Placed = { offset: tree?.offset ?? 0, children: new Map() };
  if (faults.length > 0 || !tree) {
    const nothing = { offset: 0, value: "nothing", remedy: "Write a JSON object." };
    return { text, value: undefined, root, faults: faults.length > 0 ? faults : [nothing] };
  }
  const value = read(tree, root, faults);
  return { text, value, root, faults };
}

/** The value of a node. Adds the places of the values inside it, and a fault for a name that an object has twice. */
function read(node: Node, placed: Placed, faults: SyntaxFault[]): unknown {
  if (node.type === "array") {
    return (node.children ?? []).map((child, i) => {
      const inside: Placed = { offset: child.offset, children: new Map() };
      placed.children.set(i, inside);
      return read(child, inside, faults);
    });
  }
  if (node.type !== "object") return node.value as unknown;
  const entries = (node.children ?? []).map(({ children }) => {
    const [key, value] = children as [Node, Node];
    const name = key.value as string;
    if (placed.children.has(name)) {
      faults.push({
        offset: key.offset,
        value: shorten(JSON.stringify(name)),
        remedy: "This name stands here twice, and only the last would count: leave one out.",
      });
    }
    const inside: Placed = { offset: key.offset, children: new Map() };
    placed.children.set(name, inside);
    return [name, read(value, inside, faults)];
  });
  return Object.fromEntries(entries) as unknown;
}

function shorten(text: string): string {
  const [line = ""] = text.split("\n");
  if (line.trim() === "") return "nothing";
  return line.length > 60 ? `${line.slice(0, 57)}...` : line;
}
