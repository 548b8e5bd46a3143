/*
 * How much memory the limiter's keys take in Redis. Source: the structures of Redis 7 on a 64-bit machine (dict.h, sds.h,
 * object.c), the size classes of jemalloc 5, and the states that the headers of lua/algorithms describe.
 * test/doctor/memory-formula.test.ts compares it with a real Redis, 10,000 partitions for each algorithm.
 */

export const ALGORITHMS = [
  "token-bucket",
  "sliding-window-log",
  "sliding-window-counter",
  "segmented-window",
  "fixed-window",
  "concurrency",
] as const;

export type Algorithm = (typeof ALGORITHMS)[number];

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

/** The header of a value. */
const OBJECT = 16;

/** Values up to this length share one allocation with their header. */
const EMBEDDED = 44;

/** Of a segmented window, unless the policy says otherwise. */
const SEGMENTS = 10;

/** Above this many members a sorted set is a skip list. */
const MAX_PACKED = 128;

/** Mean of 48 bytes with one level and 16 for each more, of which each is drawn one time in four. */
const SKIP_LIST_NODE = 48 + 16 / 3;

/** What the keys take, with every state as large as it becomes. An empty Redis takes about 1 MiB besides. */
export function keyspaceBytes({ partitions, policies = 1, ...key }: Keyspace): number {
  return partitions * policies * bytesPerKey(key);
}

/** What one partition takes for one policy. */
export function bytesPerKey({
  algorithm,
  limit,
  keyLength = 48,
}: Pick<Keyspace, "algorithm" | "limit" | "keyLength">): number {
  return ENTRIES + BUCKETS + text(keyLength) + VALUES[algorithm](limit);
}

const VALUES: Readonly<Record<Algorithm, (limit: number) => number>> = {
  // 16 digits, and the setting: of a policy with a time that is no whole number of microseconds, a little more.
  "token-bucket": (limit) => value(16 + 12 + limit.toString(36).length),
  "sliding-window-log": (limit) => value(logLength(limit)),
  "sliding-window-counter": () => value(20),
  "segmented-window": () => value(14 + 4 * (SEGMENTS + 1)),
  "fixed-window": () => value(17),
  concurrency: (limit) => OBJECT + slots(limit),
};

/** A header and pages of 8 units of 7 bytes; a ring of one page has no copy of it. */
function logLength(limit: number): number {
  const pages = Math.ceil(limit / 8);
  return 56 + 56 * (pages === 1 ? 1 : pages + 1);
}

/** An id of 36 characters and a moment in microseconds for each slot. */
function slots(limit: number): number {
  if (limit <= MAX_PACKED) return allocation(7 + 51.2 * limit);
  // The text of the id, its node in the skip list and its entry in the table of members; 536 is the list's head.
  return (
    536 + limit * (text(36) + SKIP_LIST_NODE + ENTRIES / 2) + 8 * 2 ** Math.ceil(Math.log2(limit))
  );
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
