import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { createMatching } from "../../bench/surge/matching.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const QUEUE_LIMIT = 3_000;
/** A call takes 40 ms on average while no other waits. */
const OPTIONS = { capacity: 100, workers: 4, seed: 1 };

test.each([
  { open: 4, rate: 100, ms: 100_000, what: "its rate while every worker is busy" },
  { open: 1, rate: 100 / 4, ms: 100_000, what: "a quarter with one of four workers" },
  { open: 3_004, rate: 100 / 1.8, ms: 20_000, what: "1.8 times smaller with a full queue" },
])("capacity is $what", async ({ open, rate, ms }) => {
  const matching = createMatching(OPTIONS);
  let done = 0;
  const keep = async () => {
    for (;;) if (await matching.match()) done++;
  };
  for (let i = 0; i < open; i++) void keep();
  await vi.advanceTimersByTimeAsync(ms);
  expect(Math.abs((done * 1000) / ms / rate - 1)).toBeLessThan(0.03);
});

test("the queue is served in order", async () => {
  const matching = createMatching({ ...OPTIONS, workers: 1 });
  const served: number[] = [];
  for (let i = 0; i < 5; i++) void matching.match().then(() => served.push(i));
  expect(matching.waiting).toBe(4);
  await vi.runAllTimersAsync();
  expect([served, matching.waiting]).toEqual([[0, 1, 2, 3, 4], 0]);
});

test("a call beyond the queue's limit is refused at once, and the next one after a call is done is not", async () => {
  const matching = createMatching(OPTIONS);
  const accepted = OPTIONS.workers + QUEUE_LIMIT;
  const calls = Array.from({ length: accepted }, () => matching.match());
  expect(await matching.match()).toBe(false);
  expect([matching.calls, matching.waiting]).toEqual([accepted + 1, QUEUE_LIMIT]);
  await vi.advanceTimersToNextTimerAsync();
  const late = matching.match();
  await vi.runAllTimersAsync();
  expect(new Set(await Promise.all([...calls, late]))).toEqual(new Set([true]));
});

test("the same seed gives the same times", async () => {
  const ends = async (seed: number) => {
    const matching = createMatching({ ...OPTIONS, seed });
    const times: number[] = [];
    const beginMs = Date.now();
    for (let i = 0; i < 20; i++) {
      void matching.match().then(() => times.push(Date.now() - beginMs));
    }
    await vi.runAllTimersAsync();
    return times;
  };
  expect(await ends(5)).toEqual(await ends(5));
  expect(await ends(6)).not.toEqual(await ends(5));
});
