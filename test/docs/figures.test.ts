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
  ["docs/surge.md", /^<!-- surge: (?:all|scenes) -->$/gm, 2],
])("the figures of %s are those of the results files", (file, marks, count) => {
  const document = read(file);
  expect(document.match(marks)).toHaveLength(count);
  expect(withSurgeTables(withMeasuredTables(document, bench), surge)).toBe(document);
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

/* The statements of docs/surge.md about every run, held against the committed one. */

test("the surge keeps within the bounds that docs/surge.md states", () => {
  const { without, with: limited, scenes } = surge;
  expect(limited.servedP99Ms / without.servedP99Ms).toBeLessThanOrEqual(0.015);
  expect(limited.failed / limited.requests).toBeLessThanOrEqual(0.001);
  expect(limited.matchingCalls / without.matchingCalls).toBeLessThanOrEqual(0.28);
  expect(limited.matchingUsefulShare).toBeGreaterThanOrEqual(0.95);
  expect(limited.ridersServed).toBeGreaterThanOrEqual(without.ridersServed);
  expect(limited.deniedByIsolateMeanMs).toBeLessThanOrEqual(1);
  expect(scenes.denialLatency.byRedis.meanMs).toBeLessThanOrEqual(2);
  expect(scenes.denialLatency.byIsolate.meanMs).toBeLessThanOrEqual(1);
});

test("no set-up admits more than its policies promise", () => {
  for (const name of ["bucket", "ceiling", "with"] as const) {
    expect([name, surge[name].overAdmitted]).toEqual([name, 0]);
  }
});

test("every request of a run is accounted for", () => {
  for (const name of ["without", "bucket", "ceiling", "with"] as const) {
    const { requests, allowed, denied, failed } = surge[name];
    expect(allowed + denied + failed).toBe(requests);
  }
});
