import { globSync } from "node:fs";

import { expect, test } from "vitest";

import { WRITTEN } from "./mutants.ts";
import { located } from "./written.ts";

test("each mutant that is written by hand has a name of its own", () => {
  expect(new Set(WRITTEN.map(({ name }) => name)).size).toBe(WRITTEN.length);
});

test.for(WRITTEN)("the mutant still fits: $name", (written) => {
  const { was, text, tests } = located(written);
  expect(text).not.toBe(was);
  for (const path of tests) expect([path, globSync(`${path}*`)]).not.toEqual([path, []]);
});
