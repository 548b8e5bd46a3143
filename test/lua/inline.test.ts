import { expect, test } from "vitest";

import { inlineFunctions } from "../../scripts/build-lua/inline.ts";

/** A program of an inline function and the code after it, as lines without their indentation. */
function inlined(definition: string, calls: string): string[] {
  const text = inlineFunctions(`-- @inline\nlocal function ${definition} end\n${calls}`);
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

test("a call is replaced by the body, on names of its own", () => {
  expect(inlined("add(a, b)\nlocal sum = a + b\nreturn sum, -sum", "x, y = add(left, 1)")).toEqual([
    "local add__sum = left + 1",
    "x, y = add__sum, -add__sum",
  ]);
});

test("variables that are returned into new ones have their names from the start", () => {
  expect(inlined("add(a, b)\nlocal sum = a + b\nreturn sum", "local x = add(left, 1)")).toEqual([
    "local x = left + 1",
  ]);
});

test.for([
  {
    why: "a name that the arguments have",
    definition: "add(a)\nlocal sum = a\nsum = sum + a\nreturn sum",
    calls: "local x = 1; local x = add(x)",
    lines: ["local x = 1; local add__sum = x", "add__sum = add__sum + x", "local x = add__sum"],
  },
  {
    why: "a variable that is returned twice",
    definition: "twice(a)\nlocal sum = a\nreturn sum, sum",
    calls: "local x, y = twice(1)",
    lines: ["local twice__sum = 1", "local x, y = twice__sum, twice__sum"],
  },
  {
    why: "a parameter",
    definition: "same(a)\nreturn a",
    calls: "local x = same(y)",
    lines: ["local x = y"],
  },
])("results are assigned at the end where there is $why", ({ definition, calls, lines }) => {
  expect(inlined(definition, calls)).toEqual(lines);
});

test("a parameter that is assigned to is a copy", () => {
  expect(inlined("least(a)\na = math.min(a, 1)\nreturn a", "x = least(y)")).toEqual([
    "local least__a = y",
    "least__a = math.min(least__a, 1)",
    "x = least__a",
  ]);
});

test("a function without results is a statement", () => {
  expect(inlined("set(key)\nredis.call('SET', key, 1)", "set(key)")).toEqual([
    "redis.call('SET', key, 1)",
  ]);
});

test("a function that is never called is dropped, and does not keep those that it calls", () => {
  const source = `
    -- @inline
    local function double(a) local b = 2 * a; return b end
    -- @inline
    local function quadruple(a) local c = double(a); local d = double(c); return d end
    x = 1`;
  expect(inlineFunctions(source).match(/\S.*/g)).toEqual(["x = 1"]);
});

test("a function may call those before it, and have functions in it", () => {
  const source = `
    -- @inline
    local function double(a) local b = 2 * a; return b end
    -- @inline
    local function quadruple(a)
      local function half(b) return b / 2 end
      local c = double(a)
      local d = double(c)
      return half(d) * 2
    end
    x = quadruple(y)`;
  expect(inlineFunctions(source).match(/\S.*/g)).toEqual([
    "local function quadruple__half(quadruple__b) return quadruple__b / 2 end",
    "local quadruple__c = 2 * y",
    "local quadruple__d = 2 * quadruple__c",
    "x = quadruple__half(quadruple__d) * 2",
  ]);
});

test.for([
  ["f() return 1", "g(f())", "f is used where it cannot be inlined"],
  ["f() return 1", "return f()", "f is used where it cannot be inlined"],
  ["f() return 1", "x, y = f(), 1", "f is used where it cannot be inlined"],
  ["f() return 1", "x = f() + 1", "f is used where it cannot be inlined"],
  ["f() return 1", "x = f", "f is used where it cannot be inlined"],
  ["f(a) return a", "x = f()", "f takes 1 arguments, not 0"],
  ["f(a) return a", "x = f(1, 2)", "f takes 1 arguments, not 2"],
  ["f(a) return a", "x = f(y + 1)", "f takes names and literals, not y + 1"],
  ["f(a) return a", "x, y = f(1)", "f has 1 results, not 2"],
  ["f(a) return a", "f(1)", "f has 1 results, not 0"],
  ["f(a) g(a)", "x = f(1)", "f has 0 results, not 1"],
  ["f(...) return ...", "x = f(1)", "f takes ..."],
  ["f(a) if a then return 1 end return 2", "x = f(1)", "f returns before its end"],
  ["f(a) if a then return 1 end", "f(1)", "f returns before its end"],
  ["f(a) local a = 1; return a", "x = f(1)", "f declares its parameter a again"],
  ["f(a) for a = 1, 2 do end return a", "x = f(1)", "f declares its parameter a again"],
  ["f(a) return f(a)", "x = f(1)", "f calls itself"],
  ["f(a) return a + b", "local b = 1; x = f(1)", "f uses b, a local of its surroundings"],
  ["f(a__b) return a__b", "x = f(1)", "a__b: names with __ are the build's"],
])("%s and then %s: %s", ([definition, calls, error]) => {
  expect(() => inlined(definition!, calls!)).toThrow(error!);
});

test.for(["-- @inline\nx = 1", "-- @inline\nfunction f() end", "-- @inline\n-- Adds.\nx = 1"])(
  "@inline needs a local function right below: %j",
  (source) => {
    expect(() => inlineFunctions(source)).toThrow("@inline without a local function below it");
  },
);
