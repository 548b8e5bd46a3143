import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { createJsonScanner } from "../../src/llm/json-scanner.ts";
import { LONGEST } from "../../src/llm/json-visitor.ts";
import { runs } from "../support/runs.ts";
import { bytesOf, cut } from "./streamed.ts";

type Json = unknown[] | Record<string, unknown>;

/** The documents that a visitor of everything is told, put together again. */
function documentsIn(chunks: readonly Uint8Array[]): unknown[] {
  const documents: unknown[] = [];
  let open: Json[] = [];
  const put = (name: string | undefined, value: unknown) => {
    const parent = open.at(-1);
    if (Array.isArray(parent)) parent.push(value);
    else if (parent) Object.defineProperty(parent, name!, { value, ...WRITABLE });
  };
  const { scan, end } = createJsonScanner({
    begin: () => void (open = []),
    enter(name, isList) {
      const value: Json = isList ? [] : {};
      put(name, value);
      open.push(value);
      return true;
    },
    leave() {
      const value = open.pop();
      if (open.length === 0) documents.push(value);
    },
    scalar: (name, text, isText) => put(name, isText ? text : JSON.parse(text)),
  });
  for (const chunk of chunks) scan(chunk, 0, chunk.length);
  end();
  return documents;
}

/** `__proto__` is a name as any other. */
const WRITABLE = { configurable: true, enumerable: true, writable: true };

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.oneof(fc.nat(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
    fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.constantFrom('"usage":{"total_tokens":1}', "\\", '"', "}", "[{", "\n", "\u0007"),
    ),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string({ maxLength: 20 }), fc.constant("__proto__")), tie("value"), {
      noNullPrototype: true,
    }),
  ),
}));

test("the scanner finds the same as a parser, in any JSON and any pieces", () => {
  const document = fc.oneof(
    fc.array(value, { maxLength: 4 }),
    fc.dictionary(fc.string({ maxLength: 5 }), value, { noNullPrototype: true }),
  );
  const space = fc.constantFrom(undefined, 1, "\t");
  const pieces = fc.array(fc.nat(400), { maxLength: 20 });
  fc.assert(
    fc.property(fc.array(document, { maxLength: 3 }), space, pieces, (given, indent, drawn) => {
      const texts = given.map((each) => JSON.stringify(each, null, indent));
      const bytes = bytesOf(texts.join("\n"));
      const positions = drawn.filter((at) => at <= bytes.length).sort((a, b) => a - b);
      expect(documentsIn(cut(bytes, positions))).toEqual(texts.map((text) => JSON.parse(text)));
    }),
    { numRuns: runs(5_000) },
  );
});

test("no bytes make it throw, or end what has not begun", () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 20 }),
    fc.constantFrom('{"usage":', '{"a":1', "}", "]", ",", '"', "\\", "[", ":").map(bytesOf),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (chunks) => {
      let depth = 0;
      const depths: number[] = [];
      const { scan, end } = createJsonScanner({
        begin: () => void (depth = 0),
        enter: () => depth < 100 && ++depth > 0,
        leave: () => void depths.push(--depth),
        scalar: () => void depths.push(depth - 1),
      });
      for (const chunk of chunks) scan(chunk, 0, chunk.length);
      end();
      expect(depths.every((each) => each >= 0)).toBe(true);
    }),
    { numRuns: runs(5_000) },
  );
});

describe("no whole document is found in", () => {
  test.each([
    ["a text", '"{\\"a\\":1}"'],
    ["a number", "1 {}"],
    ["something that is no JSON", '<html>{"a":1}'],
    ["an object without a colon", '{"a" {"b":1}}'],
    ["an object without a value", '{"id":,"a":1}'],
    ["an object without a comma", '{"id":"1" "a":1}'],
    ["an object with two colons", '{"id"::1}'],
    ["a list that ends as an object", '{"a":[1}}'],
    ["an object that ends as a list", '{"a":{"b":1]}'],
    ["a body that ends before it closes", '{"a":{"b":1}'],
  ])("%s", (_where, text) => {
    expect(documentsIn([bytesOf(text)])).toEqual([]);
  });
});

test("a byte order mark is no part of the document", () => {
  expect(documentsIn([bytesOf('\ufeff{"a":1}')])).toEqual([{ a: 1 }]);
});

describe("of a long name, number or text, the beginning is kept", () => {
  const long = "1".repeat(LONGEST * 3);
  test.for([
    ["number", `{"a":${long}}`],
    ["text", `{"a":"${long}"}`],
    ["name", `{"${long}":1}`],
  ] as const)("%s", ([kind, text]) => {
    const found: [string | undefined, string][] = [];
    const { scan } = createJsonScanner({
      begin() {},
      enter: () => true,
      leave() {},
      scalar: (name, value) => void found.push([name, value]),
    });
    const bytes = bytesOf(text);
    scan(bytes, 0, bytes.length);
    const kept = "1".repeat(LONGEST + 1);
    expect(found).toEqual([kind === "name" ? [kept, "1"] : ["a", kept]]);
  });
});

test("nesting of a million levels that is not entered costs no memory and hides nothing", () => {
  const deep = "[".repeat(1e6) + "]".repeat(1e6);
  const found: string[] = [];
  let entered = 0;
  const { scan } = createJsonScanner({
    begin() {},
    enter: () => entered++ === 0,
    leave() {},
    scalar: (name) => void found.push(name!),
  });
  const bytes = bytesOf(`{"a":${deep},"b":1}`);
  scan(bytes, 0, bytes.length);
  expect([entered, found]).toEqual([2, ["b"]]);
});
