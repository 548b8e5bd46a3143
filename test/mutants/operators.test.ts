import { expect, test } from "vitest";

import type { Edit } from "./operators/edit.ts";
import { breakLua } from "./operators/lua.ts";
import { breakTypeScript } from "./operators/typescript.ts";

/** The edits of a source: a row for each, with its operator and the source after it. */
const brokenBy = (source: string, edits: readonly Edit[]) =>
  edits.map(({ operator, start, end, text }) => [
    operator,
    source.slice(0, start) + text + source.slice(end),
  ]);

const TYPESCRIPT: readonly (readonly [string, ...(readonly (readonly [string, string])[])])[] = [
  ["if (a) b;", ["condition", "if (!(a)) b;"]],
  ["x = a === b;", ["equality", "x = a !== b;"]],
  // The condition is broken as a whole. As an equality, it would be broken the same way again.
  ["x = a === b ? c : d;", ["condition", "x = !(a === b) ? c : d;"]],
  ["x = a && b;", ["logic", "x = a || b;"]],
  ["x = a ?? b;", ["logic", "x = a && b;"]],
  ["x = (a) < b;", ["bound", "x = (a) <= b;"]],
  ["x = a >= b;", ["bound", "x = a > b;"]],
  ["x = a - b;", ["arithmetic", "x = a + b;"]],
  ["x += a;", ["arithmetic", "x -= a;"]],
  ["x++;", ["arithmetic", "x--;"]],
  ["x = a * 1000;", ["arithmetic", "x = a / 1000;"], ["unit", "x = a * 1000000;"]],
  ["x = 1;", ["off by one", "x = 2;"]],
  ["x = true;", ["boolean", "x = false;"]],
  ["x = Math.min(f());", ["extreme", "x = Math.max(f());"]],
  ["await f();", ["dropped call", ";"]],
  ["x = f(g(), a, b.c);", ["swapped arguments", "x = f(g(), b.c, a);"]],
  ["x = (a && 12) as T;", ["logic", "x = (a || 12) as T;"]],
  ["x = <b hidden={a > c} />;", ["bound", "x = <b hidden={a >= c} />;"]],
];

test.for(TYPESCRIPT)("TypeScript: %s", ([source, ...edits]) => {
  const file = source.includes("<b") ? "file.tsx" : "file.ts";
  expect(brokenBy(source, breakTypeScript(source, file))).toEqual(edits);
});

test.for([
  'import { a } from "./1.ts";',
  "type A<B> = B extends 1 ? true : { readonly a: 2 };",
  "const x: Record<1, true> = y as unknown as A<1>;",
  'x = "a" + b + `c`;',
  "x = f(a, a);",
  "x = y.constructor(z());",
  "x = 12;",
])("TypeScript, nothing to break: %s", (source) => {
  expect(breakTypeScript(source, "file.ts")).toEqual([]);
});

test("a file that is no TypeScript is refused by its name", () => {
  expect(() => breakTypeScript("if (", "src/broken.ts")).toThrow("src/broken.ts");
});

const LUA: typeof TYPESCRIPT = [
  ["if a then b = c end", ["condition", "if not (a) then b = c end"]],
  ["x = a == b", ["equality", "x = a ~= b"]],
  ["while a ~= b do end", ["condition", "while not (a ~= b) do end"]],
  ["x = a and b", ["logic", "x = a or b"]],
  ["x = a <= b", ["bound", "x = a < b"]],
  ["x = a / 1000", ["arithmetic", "x = a * 1000"], ["unit", "x = a / 1000000"]],
  ["x = 0", ["off by one", "x = 1"]],
  ["x = false", ["boolean", "x = true"]],
  ["x = math.max(a)", ["extreme", "x = math.min(a)"]],
  ["redis.call('DEL', f(a))", ["dropped call", "do end"]],
  ["x = redis.call('SET', key, value)", ["swapped arguments", "x = redis.call('SET', value, key)"]],
];

test.for(LUA)("Lua: %s", ([source, ...edits]) => {
  expect(brokenBy(source, breakLua(source))).toEqual(edits);
});
