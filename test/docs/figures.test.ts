import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { readResults } from "../../bench/benchmark/results.ts";
import { readResults as readSurge } from "../../bench/surge/results.ts";
import { withMeasuredTables } from "../../bench/tables/measured-tables.ts";
import { withSurgeTables } from "../../bench/tables/surge-tables.ts";

const read = (path: string) => readFileSync(path, "utf8");
const bench = await readResults("bench/results.json");
const surge = await readSurge("bench/surge.json");

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

/* The statements of docs/surge.md about every run, held against the committed one. */

test("the surge keeps within the bounds that docs/surge.md states", () => {
  const { without, with: limited } = surge;
  expect(limited.servedP99Ms / without.servedP99Ms).toBeLessThanOrEqual(0.015);
  expect(limited.failed / limited.requests).toBeLessThanOrEqual(0.001);
  expect(limited.matchingCalls / without.matchingCalls).toBeLessThanOrEqual(0.28);
  expect(limited.matchingUsefulShare).toBeGreaterThanOrEqual(0.95);
  expect(limited.ridersServed).toBeGreaterThanOrEqual(without.ridersServed);
  expect(limited.deniedByIsolateMeanMs).toBeLessThanOrEqual(1);
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

test("the limit holds through all deploys, and not where each isolate counts for itself", () => {
  const { limit, deploys, redis, perIsolate } = surge.scenes.deployAmnesia;
  expect([deploys, limit, redis.admittedInWorstWindow]).toEqual([8, 50, 50]);
  expect(perIsolate.admittedInWorstWindow).toBeGreaterThan(4 * limit);
});
