import { globSync, readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { MUTANTS } from "../../scripts/mutants/mutants.ts";

test("there are more than five hundred mutants, with names of their own", () => {
  expect(MUTANTS.length).toBeGreaterThan(500);
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
});

test.for(MUTANTS)("the mutant still fits: $name", ({ file, find, replace, tests }) => {
  expect(readFileSync(file, "utf8").split(find)).toHaveLength(2);
  expect(replace).not.toBe(find);
  for (const path of tests) expect([path, globSync(`${path}*`)]).not.toEqual([path, []]);
});
