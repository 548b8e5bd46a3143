import { expect, test } from "vitest";

import type { Row } from "../../src/algorithms/model.ts";
import { createDenialCache } from "../../src/denials/denial-cache.ts";
import type { Reply } from "../../src/store/store.ts";

/** What Redis's clock showed with every reply, in microseconds. */
const SHOWN = 1_800_000_000_000_000;

/** A reply of rows that wait for this many milliseconds. */
const waiting = (...waits: number[]): Reply => ({
  nowUs: SHOWN,
  rows: waits.map((wait): Row => ({
    allowed: wait === 0,
    remaining: 0,
    retryAfterUs: wait * 1000,
    resetAfterUs: wait * 2000,
  })),
});

test("a denial is known from the moment of sending for the wait less the drift", () => {
  const cache = createDenialCache(10, 1);
  cache.learn("a", [1], 1_000, waiting(10_000));
  // As it stands then: the time since the sending is taken off, and Redis's clock has moved on by as much.
  expect(cache.find("a", [1], 10_994)).toEqual({
    state: "denied",
    nowUs: SHOWN + 9_994_000,
    rows: [{ allowed: false, remaining: 0, retryAfterUs: 6_000, resetAfterUs: 10_006_000 }],
  });
  expect(cache.find("a", [1], 10_995).state).toBe("expired");
  // Until the one who asks drops it.
  expect(cache.find("a", [1], 10_995).state).toBe("expired");
  cache.drop("a");
  expect(cache.find("a", [1], 10_995).state).toBe("unknown");
});

test("a denied cost says nothing about a smaller one, and everything about a larger one", () => {
  const cache = createDenialCache(10, 1);
  cache.learn("a", [8], 0, waiting(1_000));
  expect(cache.find("a", [7], 1).state).toBe("unknown");
  expect(cache.find("a", [8], 1).state).toBe("denied");
  expect(cache.find("a", [9], 1).state).toBe("denied");
});

test("an answer without a wait teaches nothing", () => {
  const cache = createDenialCache(10, 1);
  cache.learn("a", [1], 0, waiting(0));
  expect(cache.find("a", [1], 0).state).toBe("unknown");
});

test("of several policies the longest wait counts", () => {
  const cache = createDenialCache(10, 3);
  cache.learn("a", [1, 1, 1], 0, waiting(100, 2_000, 0));
  expect(cache.find("a", [1, 1, 1], 1_998).state).toBe("denied");
  expect(cache.find("a", [1, 1, 1], 1_999).state).toBe("expired");
});

test("a cost above the one that a policy denied is denied for as long as that policy waits", () => {
  const cache = createDenialCache(10, 2);
  cache.learn("a", [4, 1], 0, waiting(2_000, 100));
  const stateOf = (costs: readonly number[], nowMs: number) => cache.find("a", costs, nowMs).state;
  expect(stateOf([3, 1], 99)).toBe("denied");
  expect(stateOf([3, 1], 100)).toBe("unknown");
  expect(stateOf([3, 0], 99)).toBe("unknown");
  expect(stateOf([4, 0], 1_998)).toBe("denied");
  expect(stateOf([3, 0], 1_999)).toBe("expired");
  expect(cache.find("a", [3, 1], 50)).toMatchObject({
    rows: [
      { allowed: true, retryAfterUs: 0 },
      { allowed: false, retryAfterUs: 50_000 },
    ],
  });
});

test("the rows and costs of advisory policies, which come last, do not count", () => {
  const cache = createDenialCache(10, 1);
  cache.learn("a", [2, 9], 0, waiting(0, 5_000));
  expect(cache.find("a", [2, 9], 1).state).toBe("unknown");
  cache.learn("a", [2, 9], 0, waiting(1_000, 0));
  expect(cache.find("a", [1, 9], 1).state).toBe("unknown");
  expect(cache.find("a", [2], 1)).toMatchObject({ state: "denied", rows: [{ allowed: false }] });
});

test("no denial is trusted for more than a minute, because another isolate may have reset it", () => {
  const cache = createDenialCache(10, 1);
  cache.learn("a", [1], 0, waiting(86_400_000));
  expect(cache.find("a", [1], 59_999).state).toBe("denied");
  expect(cache.find("a", [1], 60_000).state).toBe("expired");
});

test("a forgotten denial does not come back with an answer that was under way", () => {
  const cache = createDenialCache(10, 1);
  cache.learn("a", [1], 0, waiting(10_000));
  cache.forget("a", 5);
  expect(cache.find("a", [1], 6).state).toBe("unknown");
  cache.learn("a", [1], 5, waiting(10_000));
  expect(cache.find("a", [1], 6).state).toBe("unknown");
  cache.learn("a", [1], 6, waiting(10_000));
  expect(cache.find("a", [1], 7).state).toBe("denied");
});

test("it stays within its entries, and the ones in use stay", () => {
  const cache = createDenialCache(3, 1);
  for (const partition of ["hot", "b", "c"]) cache.learn(partition, [1], 0, waiting(10_000));
  for (let flood = 0; flood < 1_000; flood++) {
    expect(cache.find("hot", [1], 1).state).toBe("denied");
    cache.learn(`flood-${flood}`, [1], 1, waiting(10_000));
  }
  expect(cache.find("hot", [1], 1).state).toBe("denied");
  expect(cache.find("flood-999", [1], 1).state).toBe("denied");
  expect(cache.find("flood-998", [1], 1).state).toBe("denied");
  expect(cache.find("flood-997", [1], 1).state).toBe("unknown");
});

test("a dropped entry makes room before any denied one, however often it is asked for", () => {
  const cache = createDenialCache(2, 1);
  cache.learn("out", [1], 0, waiting(10));
  cache.learn("denied", [1], 0, waiting(10_000));
  expect(cache.find("out", [1], 20).state).toBe("expired");
  cache.drop("out");
  expect(cache.find("out", [1], 20).state).toBe("unknown");
  cache.learn("new", [1], 20, waiting(10_000));
  expect(cache.find("denied", [1], 20).state).toBe("denied");
  expect(cache.find("new", [1], 20).state).toBe("denied");
});
