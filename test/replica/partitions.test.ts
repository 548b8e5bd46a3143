import { expect, test } from "vitest";

import { createReplicaPartitions } from "../../src/features/replica/partitions.ts";

test("a partition is known for a minute after the primary had room for it", () => {
  const partitions = createReplicaPartitions(10);
  expect(partitions.isUnknown("a", 0)).toBe(true);
  partitions.note("a", true, 0);
  expect(partitions.isUnknown("a", 59_999)).toBe(false);
  expect(partitions.isUnknown("a", 60_000)).toBe(true);
  partitions.note("a", true, 60_000);
  expect(partitions.isUnknown("a", 60_000)).toBe(false);
  partitions.note("a", false, 60_001);
  expect(partitions.isUnknown("a", 60_001)).toBe(true);
  partitions.note("never seen", false, 60_001);
  expect(partitions.isUnknown("never seen", 60_001)).toBe(true);
});

test("no more partitions are known than there are entries", () => {
  const partitions = createReplicaPartitions(3);
  for (let i = 0; i < 10; i++) partitions.note(`p${i}`, true, 0);
  const known = Array.from({ length: 10 }, (_, i) => !partitions.isUnknown(`p${i}`, 1));
  expect(known.filter(Boolean)).toHaveLength(3);
});

test("a partition that was reset is left to the primary for a minute, with any answer of the primary", () => {
  const partitions = createReplicaPartitions(10);
  partitions.forget("a", 1_000);
  partitions.note("a", false, 1_001);
  expect(partitions.isUnknown("a", 60_999)).toBe(false);
  expect(partitions.isUnknown("b", 60_999)).toBe(true);
  expect(partitions.isUnknown("a", 61_000)).toBe(true);
});

test("with more resets than it remembers, all partitions are left to the primary while one may be late", () => {
  const partitions = createReplicaPartitions(10);
  for (let i = 0; i <= 1_000; i++) partitions.forget(`p${i}`, i);
  expect(partitions.isUnknown("p0", 59_999)).toBe(false);
  expect(partitions.isUnknown("other", 59_999)).toBe(false);
  expect(partitions.isUnknown("p0", 60_000)).toBe(true);
  expect(partitions.isUnknown("p1000", 60_999)).toBe(false);
});

test("each reset beyond them is one more that may be late", () => {
  const partitions = createReplicaPartitions(10);
  for (let i = 0; i < 1_500; i++) partitions.forget(`p${i}`, i);
  expect(partitions.isUnknown("other", 60_498)).toBe(false);
  expect(partitions.isUnknown("other", 60_499)).toBe(true);
});

test("a reset of a partition that is remembered forgets none", () => {
  const partitions = createReplicaPartitions(10);
  for (let i = 0; i < 1_000; i++) partitions.forget(`p${i}`, i);
  partitions.forget("p7", 1_000);
  expect(partitions.isUnknown("other", 1_000)).toBe(true);
  expect(partitions.isUnknown("p0", 1_000)).toBe(false);
});

test("repeated resets of one partition take one entry", () => {
  const partitions = createReplicaPartitions(10);
  for (let i = 0; i < 2_000; i++) partitions.forget("a", i);
  expect(partitions.isUnknown("b", 2_000)).toBe(true);
});
