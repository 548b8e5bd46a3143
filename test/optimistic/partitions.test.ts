import { expect, test } from "vitest";

import { createGroup } from "../../src/decide/groups.ts";
import { createOptimisticPartitions } from "../../src/features/optimistic-partitions.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { tokenBucket } from "../support/limiter/plain.ts";

const policy = {
  ...compilePolicy(tokenBucket({ name: "api", limit: 10, refill: 10, per: "1s" })),
  optimistic: { unsettled: 1, above: 0.5 },
};
const group = createGroup([policy], 0);
const of = (partition: string) => ({ group, partition, costs: [1] });
const answer = (partition: string, remaining: number, nowMs: number) => ({
  asked: of(partition),
  rows: [{ allowed: true, remaining, retryAfterUs: 0, resetAfterUs: (10 - remaining) * 1e5 }],
  countedBy: "store" as const,
  at: { nowUs: 4e15, sentAtMs: nowMs, receivedAtMs: nowMs },
});

function made(maxEntries?: number) {
  let events = 0;
  return createOptimisticPartitions(1, () => ++events, maxEntries);
}

test("a partition that is forgotten while it has room is admitted as one that was never seen", () => {
  const partitions = made(2);
  for (const name of ["a", "b", "c"]) partitions.note(answer(name, 9, 0), 0);
  expect(partitions.find("a")).toBeUndefined();
  expect(partitions.admits(of("a"), 1)).toBe(true);
});

test("ten thousand are known unless it is said otherwise", () => {
  const partitions = made();
  for (let i = 0; i < 10_001; i++) partitions.note(answer(`p${i}`, 9, 0), 0);
  const known = [0, 1, 10_000].map((i) => partitions.find(`p${i}`) !== undefined);
  expect(known).toEqual([false, true, true]);
});

test("of one that is forgotten without room, the store decides until it is full again, as of all that are not known", () => {
  const partitions = made(2);
  partitions.note(answer("a", 2, 0), 0);
  for (const name of ["b", "c"]) partitions.note(answer(name, 9, 0), 0);
  expect(partitions.admits(of("a"), 799)).toBe(false);
  expect(partitions.admits(of("z"), 799)).toBe(false);
  expect(partitions.admits(of("b"), 799)).toBe(true);
  expect(partitions.admits(of("a"), 800)).toBe(true);
});

test("the longest of several waits counts for partitions that are not known", () => {
  const partitions = made(2);
  partitions.note(answer("a", 2, 0), 0);
  partitions.note(answer("b", 4, 0), 0);
  for (const name of ["c", "d"]) partitions.note(answer(name, 9, 0), 0);
  expect(partitions.admits(of("z"), 799)).toBe(false);
  expect(partitions.admits(of("z"), 800)).toBe(true);
});

test("an answer about a known partition forgets no other", () => {
  const partitions = made(2);
  for (const name of ["a", "b", "b"]) partitions.note(answer(name, 9, 0), 0);
  expect(partitions.find("a")).toBeDefined();
});

test("one that was lost with its answer is doubted after it was forgotten, too", () => {
  const partitions = made(2);
  partitions.note(answer("a", 9, 0), 0);
  partitions.doubt("a");
  for (const name of ["b", "c"]) partitions.note(answer(name, 9, 0), 0);
  expect(partitions.admits(of("a"), 50)).toBe(false);
});

test("one that has units open is not forgotten", () => {
  const partitions = made(2);
  partitions.open(of("a"), 0);
  for (const name of ["b", "c", "d", "e"]) partitions.note(answer(name, 9, 0), 0);
  expect(partitions.find("a")!.open).toEqual([1]);
  expect(partitions.admits(of("a"), 1)).toBe(false);
});

test("many that have units open are all kept, and forgotten afterwards", () => {
  const partitions = made(10);
  const names = Array.from({ length: 100 }, (_, i) => `p${i}`);
  const entries = names.map((name) => partitions.open(of(name), 0));
  expect(names.every((name) => partitions.find(name))).toBe(true);
  for (const entry of entries) entry.open[0] = 0;
  const later = Array.from({ length: 200 }, (_, i) => `q${i}`);
  for (const name of later) partitions.note(answer(name, 9, 0), 0);
  expect(names.filter((name) => partitions.find(name))).toEqual([]);
  expect(later.filter((name) => partitions.find(name))).toHaveLength(10);
});

test("those whose requests ended before their answers are forgotten, too", () => {
  const partitions = made(10);
  const names = Array.from({ length: 100 }, (_, i) => `p${i}`);
  for (const name of names) partitions.open(of(name), 0);
  for (let i = 0; i < 200; i++) partitions.note(answer(`q${i}`, 9, 60_001), 0);
  expect(names.filter((name) => partitions.find(name))).toEqual([]);
});

test("units that were lost with their request leave a doubt, which an answer to a call from before it does not end", () => {
  const several = createGroup([{ ...policy, optimistic: { unsettled: 5, above: 0.5 } }], 0);
  const asked = { ...of("a"), group: several };
  const room = { ...answer("a", 9, 60_001), asked };
  const partitions = made(10);
  partitions.open(asked, 0);
  expect(partitions.admits(asked, 60_000)).toBe(true);
  expect(partitions.admits(asked, 60_001)).toBe(false);
  partitions.doubt("a");
  partitions.note(room, 0);
  expect(partitions.admits(asked, 60_001)).toBe(false);
  partitions.note(room, 1);
  expect(partitions.admits(asked, 60_001)).toBe(true);
});

test("an answer to a call from before a doubt does not end it", () => {
  const partitions = made(10);
  partitions.note(answer("a", 9, 0), 0);
  partitions.doubt("a");
  partitions.note(answer("a", 9, 0), 0);
  expect(partitions.admits(of("a"), 1)).toBe(false);
});

test("an answer to a call from before a reset says nothing of the units after it", () => {
  const partitions = made(10);
  partitions.note(answer("a", 9, 0), 0);
  partitions.forget("a");
  partitions.note(answer("a", 7, 0), 0);
  expect(partitions.find("a")!.known).toBeUndefined();
});

test("an answer to a call from before a denial promises nothing", () => {
  const partitions = made(10);
  partitions.note(answer("a", 0, 0), 5);
  partitions.note(answer("a", 9, 0), 0);
  expect(partitions.admits(of("a"), 1)).toBe(false);
});

test("a client that was denied a moment ago waits", () => {
  expect(made(2).admits({ ...of("a"), wasDenied: true }, 0)).toBe(false);
});
