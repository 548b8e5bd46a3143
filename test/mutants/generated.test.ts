import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { generatedMutants, mutantsOf, nearestOnly, productFiles } from "./generated.ts";
import { sample } from "./sample.ts";
import { missingTests, testsOf } from "./tests-of.ts";

const BUCKET = "src/algorithms/token-bucket.ts";

test("each file of src and lua has tests that are known", () => {
  for (const file of productFiles()) expect(testsOf(file).tests).not.toEqual([]);
  expect(missingTests()).toEqual([]);
});

test("the tests of the same name are the nearest, and others that a list names", () => {
  const { nearest, tests } = testsOf("src/partition/client-ip.ts");
  expect(nearest).toEqual(["test/partition/client-ip.test.ts"]);
  expect(tests).toEqual(["test/partition/"]);
  expect(testsOf("src/features/roles/waiting-denials.ts").nearest).toEqual([
    "test/limiter/waiting-denials.test.ts",
    "test/limiter/bans.test.ts",
    "test/limiter/modes.test.ts",
  ]);
  expect(testsOf("src/algorithms/calendar-zone.ts").nearest).toEqual([
    "test/algorithms/calendar-zone.test.ts",
    "test/algorithms/",
  ]);
  expect(() => testsOf("scripts/bench/main.ts")).toThrow("scripts/bench/main.ts");
});

test("no generated file is mutated", () => {
  expect(productFiles().filter((file) => file.includes("generated"))).toEqual([]);
});

test("a mutant says where it stands and what it replaces", () => {
  const source = readFileSync(BUCKET, "utf8");
  const mutants = mutantsOf(BUCKET, source);
  expect(mutants.length).toBeGreaterThan(10);
  for (const { line, was, start, text } of mutants) {
    expect(source.slice(start, start + was.length)).toBe(was);
    expect(source.split("\n")[line - 1]).toContain(was.split("\n")[0]);
    expect(text).not.toBe(was);
  }
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
});

test("a glance runs the nearest tests only, and leaves out files without one", () => {
  const glance = nearestOnly(
    generatedMutants(["src/partition/client-ip.ts", "packages/cli/src/reading.ts"]),
  );
  expect(new Set(glance.map(({ file }) => file))).toEqual(new Set(["src/partition/client-ip.ts"]));
  expect(glance.flatMap(({ tests }) => tests)).toEqual([]);
});

test("a seed draws the same mutants again, another seed draws others", () => {
  const mutants = generatedMutants([BUCKET, "lua/decide.lua"]);
  const names = (seed: number) => sample(mutants, 8, seed).map(({ name }) => name);
  expect(names(1)).toHaveLength(8);
  expect(names(1)).toEqual(names(1));
  expect(names(1)).not.toEqual(names(2));
});

test("a sample keeps what it has drawn where only the lines above it change", () => {
  const source = readFileSync(BUCKET, "utf8");
  const drawn = (text: string) =>
    sample(mutantsOf(BUCKET, text), 8, 1).map(({ operator, was }) => [operator, was]);
  expect(drawn(`// A line.\n${source}`)).toEqual(drawn(source));
});
