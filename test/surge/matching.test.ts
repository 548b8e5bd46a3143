import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { createMatching, type Matching } from "../../bench/surge/origin/matching.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const QUEUE_LIMIT = 3_000;
/** A call takes 40 ms on average while no other waits. */
const OPTIONS = { capacity: 100, workers: 4, seed: 1 };

/** Keeps as many calls under way as are given, and resolves with how many were done per second. */
async function rateWith(matching: Matching, open: number, ms: number): Promise<number> {
  const before = matching.done;
  const keep = async () => {
    for (;;) await matching.match();
  };
  for (let i = 0; i < open; i++) void keep();
  await vi.advanceTimersByTimeAsync(ms);
  return ((matching.done - before) * 1000) / ms;
}

describe("capacity", () => {
  test("is its rate while every worker is busy and no call waits", async () => {
    const rate = await rateWith(createMatching(OPTIONS), OPTIONS.workers, 100_000);
    expect(Math.abs(rate / OPTIONS.capacity - 1)).toBeLessThan(0.02);
  });

  test("is shared by the workers: one of four does a quarter", async () => {
    const rate = await rateWith(createMatching(OPTIONS), 1, 100_000);
    expect(Math.abs(rate / (OPTIONS.capacity / 4) - 1)).toBeLessThan(0.03);
  });

  test("shrinks while calls wait: with a full queue, each call takes 1.8 times as long", async () => {
    const matching = createMatching(OPTIONS);
    const rate = await rateWith(matching, QUEUE_LIMIT + OPTIONS.workers, 20_000);
    expect(matching.waiting).toBeGreaterThan(QUEUE_LIMIT - 5);
    expect(Math.abs((1.8 * rate) / OPTIONS.capacity - 1)).toBeLessThan(0.03);
  });
});

describe("the queue", () => {
  test("is served in order, by as many workers as there are", async () => {
    const matching = createMatching({ ...OPTIONS, workers: 1 });
    const served: number[] = [];
    for (let i = 0; i < 5; i++) void matching.match().then(() => served.push(i));
    expect([matching.busy, matching.waiting]).toEqual([1, 4]);
    await vi.runAllTimersAsync();
    expect(served).toEqual([0, 1, 2, 3, 4]);
    expect([matching.busy, matching.waiting, matching.done]).toEqual([0, 0, 5]);
  });

  test("has a limit: a call beyond it is refused at once, and costs no work", async () => {
    const matching = createMatching(OPTIONS);
    const accepted = OPTIONS.workers + QUEUE_LIMIT;
    for (let i = 0; i < accepted; i++) void matching.match();
    expect(await matching.match()).toBe(false);
    expect([matching.calls, matching.done, matching.waiting]).toEqual([accepted + 1, 0, 3_000]);
    await vi.runAllTimersAsync();
    expect(matching.done).toBe(accepted);
  });

  test("has room again once a call is done", async () => {
    const matching = createMatching(OPTIONS);
    const calls = Array.from({ length: OPTIONS.workers + QUEUE_LIMIT }, () => matching.match());
    await vi.advanceTimersToNextTimerAsync();
    expect(await Promise.race(calls)).toBe(true);
    const late = matching.match();
    await vi.runAllTimersAsync();
    expect(await late).toBe(true);
  });
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
