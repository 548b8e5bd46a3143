import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import type { Results } from "../../bench/benchmark/results.ts";
import type { SurgeResults } from "../../bench/surge/results.ts";
import { withMeasuredTables } from "../../bench/tables/measured-tables.ts";
import { withSurgeTables } from "../../bench/tables/surge-tables.ts";

const read = (path: string) => readFileSync(path, "utf8");
const bench = JSON.parse(read("bench/results.json")) as Results;
const surge = JSON.parse(read("bench/surge.json")) as SurgeResults;

test.each([
  ["README.md", /^<!-- (?:measured|surge): summary -->$/gm, 2],
  ["docs/figures.md", /^<!-- (?:measured: (?:peer|bare|ways)|surge: story) -->$/gm, 4],
])("the figures of %s are those of the results files", (file, marks, count) => {
  const document = read(file);
  expect(document.match(marks)).toHaveLength(count);
  expect(withSurgeTables(withMeasuredTables(document, bench), surge)).toBe(document);
  expect(document).not.toMatch(/\| (?:NaN|undefined|null)/);
});

test("the figures of docs/surge.md are those of the results file", () => {
  const document = read("docs/surge.md");
  expect(document.match(/^<!-- surge: (?:all|scenes) -->$/gm)).toHaveLength(2);
  expect(withSurgeTables(document, surge)).toBe(document);
  expect(document).not.toMatch(/\| (?:NaN|undefined|null)/);
});

test("other results make other figures", () => {
  const changed = { ...surge, with: { ...surge.with, servedP99Ms: 123_456 } };
  const rebuilt = withSurgeTables(read("docs/surge.md"), changed);
  expect(rebuilt).toContain("| 123 s ");
});

test("a figure that the results do not have stops the build", () => {
  const without = { parts: { ...bench.parts, trips: { ...bench.parts["trips"]!, figures: [] } } };
  expect(() => withMeasuredTables(read("README.md"), without)).toThrow(
    "bench/results.json has no trips",
  );
});

test("results of a surge without scenes stop the build", () => {
  const { scenes: _, ...without } = surge;
  expect(() => withSurgeTables(read("docs/surge.md"), without as SurgeResults)).toThrow(
    "lack denialLatency, deployAmnesia, boundaryBurst, retryStorm, redisLost: run `npm run surge`",
  );
});
