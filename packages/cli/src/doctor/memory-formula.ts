/*
 * How much memory the limiter's keys take in Redis. Source: the structures of Redis 7 on a 64-bit machine (dict.h, sds.h,
 * object.c), the size classes of jemalloc 5, and the states of the algorithms.
 * test/cli/doctor/memory-formula.test.ts compares it with a real Redis, 10,000 partitions for each algorithm.
 */

import { STATE_BYTES } from "../../../../src/algorithms/all.ts";
import type { CountingAlgorithm } from "../../../../src/policy/policy.ts";

/** A window of a calendar has the state of a fixed window. */
export type Algorithm = CountingAlgorithm | "concurrency";

export const ALGORITHMS: readonly Algorithm[] = [
  ...(Object.keys(STATE_BYTES) as CountingAlgorithm[]),
  "concurrency",
];

export interface Keyspace {
  readonly partitions: number;
  /** Policies that count each partition. Default: 1. */
  readonly policies?: number;
  readonly algorithm: Algorithm;
  readonly limit: number;
  /** Length of a key, `tg:{partition}:policy:x`. Default: 48, which is a partition of 20 bytes and a policy of 20. */
  readonly keyLength?: number;
}

/** An entry in the table of keys and one in the table of expiries: three words each, in the class of 32 bytes. */
const ENTRIES = 2 * 32;

/** A table has between one and two buckets of 8 bytes for each key, and there are two tables. */
const BUCKETS = 2 * 8 * 1.5;

const OBJECT = 16;

/** Values up to this length share one allocation with their header. */
const EMBEDDED = 44;

/** Above this many members a sorted set is a skip list. */
const MAX_PACKED = 128;

/** Mean of 48 bytes with one level and 16 for each more, of which each is drawn one time in four. */
const SKIP_LIST_NODE = 48 + 16 / 3;

/** The bytes of the keys, with every state as large as it becomes. An empty Redis takes about 1 MiB besides. */
export function keyspaceBytes({ partitions, policies = 1, ...key }: Keyspace): number {
  return partitions * policies * bytesPerKey(key);
}

/** The bytes of one partition for one policy. */
export function bytesPerKey({
  algorithm,
  limit,
  keyLength = 48,
}: Pick<Keyspace, "algorithm" | "limit" | "keyLength">): number {
  return ENTRIES + BUCKETS + text(keyLength) + valueOf(algorithm, limit);
}

/** An id of 36 characters and a moment in microseconds for each slot. */
function slots(limit: number): number {
  if (limit <= MAX_PACKED) return allocation(7 + 51.2 * limit);
  // The text of the id, its node in the skip list and its entry in the table of members; 536 is the list's head.
  return (
    536 + limit * (text(36) + SKIP_LIST_NODE + ENTRIES / 2) + 8 * 2 ** Math.ceil(Math.log2(limit))
  );
}

function valueOf(algorithm: Algorithm, limit: number): number {
  return algorithm === "concurrency" ? OBJECT + slots(limit) : value(STATE_BYTES[algorithm](limit));
}

function value(length: number): number {
  return length <= EMBEDDED ? allocation(OBJECT + 4 + length) : OBJECT + text(length);
}

/** A text with its header, of 3 bytes, or 5 from 256 on, and a zero byte. */
function text(length: number): number {
  return allocation(length + (length < 256 ? 4 : 6));
}

/** The size class: multiples of 16 up to 128, then four to each doubling. */
function allocation(bytes: number): number {
  const step = bytes <= 128 ? 16 : 2 ** (Math.ceil(Math.log2(bytes)) - 3);
  return Math.ceil(bytes / step) * step;
}
