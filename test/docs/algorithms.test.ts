import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { MODELS } from "../../docs/.vitepress/theme/playground/models.ts";
import { IMPLEMENTATIONS } from "../../src/algorithms/all.ts";
import * as tidegate from "../../src/index.ts";

const COUNTING = Object.keys(IMPLEMENTATIONS).toSorted();
const ALL = [...COUNTING, "concurrency"].toSorted();

/** The first column of a section's table. */
function rowsOf(file: string, heading: string): string[] {
  const [, section = ""] = readFileSync(file, "utf8").split(`${heading}\n`);
  const [text = ""] = section.split("\n## ");
  return Array.from(text.matchAll(/^\| `([a-z-]+)` +\|/gm), ([, name]) => name!).toSorted();
}

test.for([
  ["README.md", "## Choosing an algorithm", ALL],
  ["docs/algorithms.md", "# Choosing an algorithm", ALL],
  ["docs/guarantees.md", "## What it costs", COUNTING],
  ["docs/redis.md", "## Memory", ALL],
] as const)("%s, %s: a row for each algorithm", ([file, heading, names]) => {
  expect(rowsOf(file, heading)).toEqual(names);
});

test("the options say which names a rule may give", () => {
  const text = readFileSync("docs/options.md", "utf8");
  const [, names = ""] = /plus `algorithm`, which is ([^.]+)\./.exec(text) ?? [];
  expect(Array.from(names.matchAll(/"([a-z-]+)"/g), ([, name]) => name).toSorted()).toEqual(
    COUNTING,
  );
});

test("the playground has each algorithm", () => {
  expect(MODELS.map(({ id }) => id)).toEqual(expect.arrayContaining(ALL));
});

test.for(ALL)("the package exports a builder for %s", (name) => {
  const builder = name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  expect(tidegate).toHaveProperty(builder, expect.any(Function));
});
