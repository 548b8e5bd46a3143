import { expect, test } from "vitest";

import type { Entry, Stats } from "../../packages/dashboard/src/api/answers.ts";
import {
  historyPath,
  RANGES,
  statsPath,
  topPath,
} from "../../packages/dashboard/src/live/ranges.ts";
import { overall, quantile } from "../../packages/dashboard/src/overview/latency.ts";
import { entryOf } from "../../packages/dashboard/src/partition/targets.ts";
import { sum } from "../../packages/dashboard/src/parts/format.ts";
import {
  byOutcome,
  byRule,
  denialsByRule,
} from "../../packages/dashboard/src/parts/request-counts.ts";

const NOW = Date.UTC(2031, 0, 2, 15, 4, 30);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const spanOf = (path: string) => {
  const query = new URLSearchParams(path.split("?")[1]);
  return [Number(query.get("from")), Number(query.get("to"))] as const;
};

test.each(RANGES)(
  "$title has as many whole steps as it says, the one under way among them",
  (range) => {
    const stepMs = range.step === "minute" ? MINUTE : HOUR;
    const [from, to] = spanOf(statsPath(range, NOW));
    expect([from % stepMs, to]).toEqual([0, NOW]);
    expect(Math.ceil((to - from) / stepMs)).toBe(range.steps);
  },
);

test.each(RANGES)("clients are asked for of $title, and of a day at most", (range) => {
  for (const path of [topPath("near", range, NOW), historyPath(range, NOW)]) {
    const [from, to] = spanOf(path);
    expect(to).toBe(NOW);
    expect(to - from).toBeLessThanOrEqual(24 * HOUR);
    expect(to - from).toBeGreaterThan(Math.min(24, range.steps / 60) * HOUR - 2 * HOUR);
  }
});

const REQUESTS = Array.from({ length: 8 }, (_, i) => [
  { rule: `r${i}`, outcome: "denied", reason: "limited", counts: [i + 1, 0, 3] },
  { rule: `r${i}`, outcome: "denied", reason: "cached-denial", counts: [0, i, 0] },
  { rule: `r${i}`, outcome: "allowed", reason: "allowed", counts: [100, 0, 0] },
  { rule: `r${i}`, outcome: "blocked", reason: "list", counts: [0, 0, 2 * i] },
]).flat();

test("the layers of denials by rule add up to all denials, for any number of rules", () => {
  for (let rules = 0; rules <= 8; rules++) {
    const requests = REQUESTS.slice(0, 4 * rules);
    const denied = requests.filter(({ outcome }) => outcome === "denied");
    const layers = denialsByRule(requests, 3);
    for (const i of [0, 1, 2]) {
      expect(sum(layers.map(({ values }) => values[i] ?? 0))).toBe(
        sum(denied.map(({ counts }) => counts[i]!)),
      );
    }
    expect(layers.length).toBeLessThanOrEqual(6);
    expect(new Set(layers.map(({ colour }) => colour)).size).toBe(layers.length);
  }
});

test("a rule without denials is no layer of them", () => {
  const none = REQUESTS.map((each) => ({ ...each, counts: [0, 0, 0] }));
  expect(denialsByRule([...REQUESTS.slice(0, 4), ...none], 3).map(({ label }) => label)).toEqual([
    "r0",
  ]);
});

test("a rule has its requests, denials and blocks, and those that were denied most come first", () => {
  const rows = byRule(REQUESTS);
  expect(rows[0]).toEqual({ rule: "r7", requests: 100 + 11 + 7 + 14, denied: 18, blocked: 14 });
  expect(rows.map(({ denied }) => denied)).toEqual([18, 16, 14, 12, 10, 8, 6, 4]);
  const outcomes = byOutcome(REQUESTS, 3);
  expect(outcomes.map(({ label, values }) => `${label} ${values.join()}`)).toEqual([
    "allowed 800,0,0",
    "denied 36,28,24",
    "blocked 0,0,56",
  ]);
});

const durations = (...counts: number[][]): Stats["durations"] =>
  [0.001, 0.01, 0.1, null].map((le, i) => ({ le, counts: counts[i]! }));

test("a latency lies in the bucket of its share, and is not below it where answers took longest", () => {
  const found = durations([98, 0], [1, 0], [0, 0], [1, 0]);
  expect(quantile(found, 0.5, 0)).toBeCloseTo(0.51, 2);
  expect(quantile(found, 0.99, 0)).toBe(10);
  expect(quantile(found, 1, 0)).toBe(100);
  expect(quantile(found, 0.5, 1)).toBeNull();
  expect(overall(durations([1, 1], [0, 98], [0, 0], [0, 0]), 0.99)).toBeCloseTo(9.9, 0);
});

test("a block is that of this client alone, and one that a call can take back", () => {
  const entries: Entry[] = [
    { identity: "X-User-Id: 42", source: "document" },
    { id: "1", cidr: "203.0.113.0/24", source: "call" },
    { id: "2", digest: "x-user-id:digest", source: "call" },
  ];
  const identity = { title: "", entry: { identity: "x-user-id:42" } };
  expect(entryOf(identity, entries)).toBeUndefined();
  expect(entryOf(identity, [...entries, { id: "3", ...entries[0]!, source: "call" }])?.id).toBe(
    "3",
  );
  expect(entryOf({ title: "", entry: { cidr: "203.0.113.7" } }, entries)).toBeUndefined();
  expect(entryOf({ title: "", entry: { digest: "x-user-id:digest" } }, entries)?.id).toBe("2");
  expect(entryOf({ title: "", entry: { digest: "x-user-id:42" } }, entries)).toBeUndefined();
});
