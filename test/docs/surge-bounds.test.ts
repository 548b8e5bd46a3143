import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import type { SurgeResults } from "../../bench/surge/results.ts";

const results = JSON.parse(readFileSync("bench/surge.json", "utf8")) as SurgeResults;

/* The statements of docs/surge.md about every run, held against the committed one. */

test("the surge keeps within the bounds that docs/surge.md states", () => {
  const { without, with: limited, scenes } = results;
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
    expect([name, results[name].overAdmitted]).toEqual([name, 0]);
  }
});

test("every request of a run is accounted for", () => {
  for (const name of ["without", "bucket", "ceiling", "with"] as const) {
    const { requests, allowed, denied, failed } = results[name];
    expect(allowed + denied + failed).toBe(requests);
  }
});
