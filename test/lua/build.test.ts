import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Redis } from "ioredis";
import { afterEach, beforeEach, expect, inject, test } from "vitest";

import { build, resolveIncludes, strip } from "../../scripts/build-lua.ts";
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

test("only comments and indentation are stripped, not what looks like them", () => {
  expect(strip("local a = '--no' -- comment\n  local b = [[--]] --[[ more\n ]]\nreturn a..b")).toBe(
    "local a = '--no'\nlocal b = [[--]]\nreturn a..b",
  );
});

test("a stripping that would change the program is refused", () => {
  expect(() => strip("return [[\n  indented\n]]")).toThrow(
    "stripping comments changed the program",
  );
});
