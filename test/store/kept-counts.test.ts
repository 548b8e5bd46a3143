import { expect, test } from "vitest";

import { fixedWindow, slidingWindowLog, tokenBucket } from "../../src/index.ts";
import { keepCounts, type ObjectStorage } from "../../src/store/durable-object-counts.ts";
import { compile } from "../support/compile-policy.ts";

/** A storage that records reads and writes; the behaviour of a real one is in test/workerd. */
function countedStorage() {
  const kept = new Map<string, unknown>();
  const reads: string[] = [];
  const writes: string[] = [];
  const alarms: number[] = [];
  const storage: ObjectStorage = {
    kv: {
      get(name) {
        reads.push(name);
        return kept.get(name);
      },
      put(name, value) {
        writes.push(name);
        kept.set(name, structuredClone(value));
      },
      delete: (name) => kept.delete(name),
      list: () => kept.entries(),
    },
    async setAlarm(atMs) {
      alarms.push(atMs);
    },
    async deleteAll() {
      writes.push("(all)");
      kept.clear();
    },
  };
  return { kept, reads, writes, alarms, storage };
}

const MINUTE = 60e6;

/** A moment on the minute. */
const START = 1_000_000 * MINUTE;

const [minute, hour] = compile([
  fixedWindow({ name: "minute", limit: 2, window: "1m" }),
  fixedWindow({ name: "hour", limit: 3, window: "1h" }),
]);

test("an admission writes each count that changed, a denial and a look write nothing", () => {
  const { storage, writes } = countedStorage();
  const counts = keepCounts(storage, () => START);
  const consume = () => counts.decide("consume", ["a", "b"], [1, 1], [minute!, hour!]).rows;
  consume();
  consume();
  expect(writes).toEqual(["1 a", "1 b", "1 a", "1 b"]);
  expect(consume()).toMatchObject([{ allowed: false }, { allowed: true }]);
  counts.decide("peek", ["a", "b"], [1, 1], [minute!, hour!]);
  expect(writes).toHaveLength(4);
  counts.decide("consume", ["a", "b"], [0, 1], [minute!, hour!]);
  expect(writes.slice(4)).toEqual(["1 b"]);
});

test("a thousand decisions of a client read its row once, write one for each admission, and set one alarm", () => {
  const { storage, reads, writes, alarms } = countedStorage();
  const counts = keepCounts(storage, () => START);
  const [quota] = compile([fixedWindow({ name: "quota", limit: 700, window: "1d" })]);
  for (let i = 0; i < 1_000; i++) counts.decide("consume", ["a"], [1], [quota!]);
  expect([reads.length, writes.length, alarms.length]).toEqual([1, 700, 1]);
});

test("looks at a bucket under two plans write no more than the end they prolong", () => {
  const { storage, writes } = countedStorage();
  let nowUs = START;
  const counts = keepCounts(storage, () => nowUs);
  const [bucket] = compile([tokenBucket({ name: "bucket", limit: 10, refill: 3, per: "1s" })]);
  counts.decide("consume", ["a"], [10], [bucket!]);
  for (let i = 0; i < 50; i++) {
    nowUs += 1;
    counts.decide("consume", ["a"], [10], [bucket!]);
  }
  expect(writes.length).toBeLessThanOrEqual(3);
});

test("a look by a longer policy writes the end that it prolongs, so that a sweep leaves the count", async () => {
  const { storage } = countedStorage();
  let nowUs = START;
  const [short, long] = compile([
    slidingWindowLog({ name: "log", limit: 5, window: "1s" }),
    slidingWindowLog({ name: "log-of-a-plan", limit: 1, window: "1m" }),
  ]);
  const counts = keepCounts(storage, () => nowUs);
  counts.decide("consume", ["a"], [1], [short!]);
  expect(counts.decide("peek", ["a"], [1], [long!]).rows).toMatchObject([{ allowed: false }]);
  nowUs += MINUTE / 2;
  await counts.sweep();
  const cold = keepCounts(storage, () => nowUs);
  expect(cold.decide("consume", ["a"], [1], [long!]).rows).toMatchObject([{ allowed: false }]);
});

test("an entry is read once, however often it is asked for", () => {
  const { storage, reads } = countedStorage();
  keepCounts(storage, () => START).decide("consume", ["a", "b"], [1, 1], [minute!, hour!]);
  reads.length = 0;
  const counts = keepCounts(storage, () => START);
  for (let i = 0; i < 5; i++) {
    counts.decide("consume", ["a", "b"], [1, 1], [minute!, hour!]);
    counts.decide("peek", ["a"], [1], [minute!]);
  }
  expect(reads).toEqual(["1 a", "1 b"]);
});

test("an alarm that rings on time finds nothing that counts, and has the object emptied", async () => {
  const { storage, writes, alarms } = countedStorage();
  let nowUs = START;
  const counts = keepCounts(storage, () => nowUs);
  // Full again between two milliseconds.
  const [bucket] = compile([tokenBucket({ name: "bucket", limit: 8, refill: 7, per: "1m" })]);
  counts.decide("consume", ["a"], [8], [bucket!]);
  nowUs = alarms[0]! * 1000;
  await counts.sweep();
  expect(writes).toEqual(["1 a", "(all)"]);
  expect(alarms).toHaveLength(1);
});

test("one alarm at a time, at the end of the counting entries but not within a minute; it leaves those that still count", async () => {
  const { storage, kept, alarms } = countedStorage();
  let nowUs = START + 30e6;
  const counts = keepCounts(storage, () => nowUs);
  counts.decide("consume", ["a"], [1], [minute!]);
  counts.decide("consume", ["b"], [1], [hour!]);
  expect(alarms).toEqual([(nowUs + MINUTE) / 1000]);

  nowUs += MINUTE;
  await counts.sweep();
  expect([...kept.keys()]).toEqual(["1 b"]);
  // The hour of START ends at a multiple of an hour.
  const endMs = (Math.floor(nowUs / (60 * MINUTE)) + 1) * 3_600_000;
  expect(alarms.slice(1)).toEqual([endMs]);

  nowUs = endMs * 1000;
  await counts.sweep();
  expect(kept.size).toBe(0);
  expect(alarms).toHaveLength(2);
  // The next count has an alarm again.
  expect(counts.decide("peek", ["b"], [1], [hour!]).rows).toMatchObject([{ remaining: 3 }]);
  counts.decide("consume", ["a"], [1], [minute!]);
  expect(alarms).toHaveLength(3);
});

test.for([
  ["a", "b"],
  ["b", "a"],
] as const)(
  "the alarm is that of the count that ends last, whichever comes first: %o",
  async (order) => {
    const { storage, kept, alarms } = countedStorage();
    let nowUs = START;
    const counts = keepCounts(storage, () => nowUs);
    const [week] = compile([fixedWindow({ name: "week", limit: 3, window: "7d" })]);
    const policyOf = { a: hour!, b: week! };
    const counted = order.map((key) => policyOf[key]);
    const { rows } = counts.decide("consume", order, [1, 1], counted);
    const lastMs = (START + Math.max(...rows.map(({ resetAfterUs }) => resetAfterUs))) / 1000;
    expect(alarms).toEqual([lastMs]);
    // An alarm may come early: then both still count, and the next one is at the same moment.
    nowUs += 1;
    await counts.sweep();
    expect(kept.size).toBe(2);
    expect(alarms).toEqual([lastMs, lastMs]);
  },
);

test("a reset deletes kept counts, also of a key that this object has not read", () => {
  const { storage, kept } = countedStorage();
  keepCounts(storage, () => START).decide("consume", ["a", "b"], [2, 1], [minute!, hour!]);
  const cold = keepCounts(storage, () => START);
  cold.reset(["a", "b"]);
  expect(kept.size).toBe(0);
  expect(cold.decide("consume", ["a"], [2], [minute!]).rows).toMatchObject([{ allowed: true }]);
  // The second time, the object has it in memory.
  cold.reset(["b", "a"]);
  expect(kept.size).toBe(0);
  expect(cold.decide("consume", ["a"], [2], [minute!]).rows).toMatchObject([{ allowed: true }]);
});
