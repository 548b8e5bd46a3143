import { type AST, getStaticTOMLValue, ParseError, parseTOML } from "toml-eslint-parser";

import type { Parsed, Placed, SyntaxFault } from "./text-position.ts";

/** Parses TOML 1.0, as Wrangler does. */
export function parseToml(text: string): Parsed {
  const root: Placed = { offset: 0, children: new Map() };
  try {
    const program = parseTOML(text, { tomlVersion: "1.0" });
    for (const node of program.body[0].body) {
      if (node.type === "TOMLTable") placeTable(node, root);
      else placePair(node, root);
    }
    return { text, value: asJson(getStaticTOMLValue(program)), root, faults: [] };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return { text, value: undefined, root, faults: [faultOf(text, error)] };
  }
}

function faultOf(text: string, { index, message }: ParseError): SyntaxFault {
  const before = text.slice(0, index).trimEnd();
  // The parser notices a missing value only at the next one, which may be on another line.
  if (before.endsWith("=")) {
    return { offset: before.length, value: "nothing", remedy: "Write a value here." };
  }
  const line = text.slice(text.lastIndexOf("\n", index - 1) + 1).split("\n")[0] ?? "";
  return { offset: index, value: line.trim().slice(0, 60) || "nothing", remedy: remedyOf(message) };
}

function remedyOf(message: string): string {
  if (message.includes("multiple times")) return "This name stands here twice: leave one out.";
  return `This is not TOML: ${message.charAt(0).toLowerCase()}${message.slice(1)}.`;
}

function placeTable(table: AST.TOMLTable, root: Placed): void {
  let at = root;
  for (const step of table.resolvedKey) at = childOf(at, step, table.range[0]);
  for (const pair of table.body) placePair(pair, at);
}

function placePair({ key, value }: AST.TOMLKeyValue, table: Placed): void {
  let at = table;
  for (const step of key.keys) {
    at = childOf(at, step.type === "TOMLBare" ? step.name : step.value, step.range[0]);
  }
  placeInside(value, at);
}

function placeInside(value: AST.TOMLContentNode, at: Placed): void {
  if (value.type === "TOMLInlineTable") for (const pair of value.body) placePair(pair, at);
  // A moment without a time zone stays one: as a date it would be in this machine's.
  if (value.type === "TOMLValue" && value.kind.startsWith("local-")) {
    Object.assign(value, { value: (value as AST.TOMLDateTimeValue).datetime });
  }
  if (value.type !== "TOMLArray") return;
  value.elements.forEach((element, i) => placeInside(element, childOf(at, i, element.range[0])));
}

/** A table that several headers or dotted keys share has the place of its first name. */
function childOf(at: Placed, step: string | number, offset: number): Placed {
  const known = at.children.get(step);
  if (known) return known;
  const child: Placed = { offset, children: new Map() };
  at.children.set(step, child);
  return child;
}

/** Dates become texts, as in the variables that a worker gets. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}
