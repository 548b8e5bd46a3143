import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Redis } from "ioredis";
import { afterEach, beforeEach, expect, inject, test } from "vitest";

import { build, resolveIncludes } from "../../scripts/build-lua.ts";
import { minify } from "../../scripts/minify-lua.ts";
import { BODY, SHA1_PLAIN } from "../../src/store/scripts.generated.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidegate-lua-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

test("the committed module is what lua/ builds", () => {
  expect(readFileSync("src/store/scripts.generated.ts", "utf8")).toBe(build());
});

test("its SHA1 is the one by which Redis knows the script", async () => {
  const redis = new Redis(inject("redisUrl"));
  expect(await redis.script("LOAD", BODY)).toBe(SHA1_PLAIN);
  await redis.quit();
});

test("an include stands in place of its line, at its indentation", () => {
  write("inner.lua", "x = 1\n\ny = 2\n");
  const file = write("outer.lua", "do\n  -- @include inner.lua\nend\n");
  expect(resolveIncludes(file)).toBe("do\n  x = 1\n\n  y = 2\nend\n");
});

test("includes that go round in a circle are named", () => {
  write("b.lua", "-- @include a.lua\n");
  const file = write("a.lua", "-- @include b.lua\n");
  expect(() => resolveIncludes(file)).toThrow(
    /a\.lua includes .*b\.lua includes .*a\.lua, a cycle/,
  );
});

test("comments and indentation go, and not what looks like them", () => {
  expect(minify("return '--no' -- comment\n  .. [[--]] --[[ more\n ]]")).toBe(
    "return '--no'\n.. [[--]]",
  );
});

test("locals get short names, and nothing else does", () => {
  const source = `
    local function decide(key, cost)
      local reply = { key = key, cost = redis.call('GET', key) }
      return reply.key, cost, a
    end
    return decide(KEYS[1], 2)`;
  // `a` is somebody else's name already.
  expect(minify(source)).toBe(
    [
      "local function c(b, d)",
      "local e = { key = b, cost = redis.call('GET', b) }",
      "return e.key, d, a",
      "end",
      "return c(KEYS[1], 2)",
    ].join("\n"),
  );
});

test("what would change the program is refused", () => {
  expect(() => minify("return [[\n  indented\n]]")).toThrow("minifying changed the program");
});
