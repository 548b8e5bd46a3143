import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { createSingleFlight, PATIENCE_MS } from "../../src/denials/single-flight.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Something to wait for, and how to end it. */
function ending() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  return { ask: () => promise, succeed: () => resolve("answer"), fail: reject };
}

/** Lets promises run. */
const turn = () => vi.advanceTimersByTimeAsync(0);

test("a request waits 150 ms at most", () => {
  expect(PATIENCE_MS).toBe(150);
});

describe("a single flight", () => {
  test("gives its answer to the caller that runs it, and only its end to those that join", async () => {
    const flights = createSingleFlight(1);
    const { ask, succeed } = ending();
    const ran = flights.run("a", [1], 0, ask);
    const joined = flights.join("a", [1], 0, 0);
    succeed();
    expect(await ran).toBe("answer");
    expect(await joined).toBe(true);
    expect(flights.join("a", [1], 0, 0)).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("that fails rejects for the caller that runs it, and only ends for those that join", async () => {
    const flights = createSingleFlight(1);
    const { ask, fail } = ending();
    const ran = flights.run("a", [1], 0, ask);
    let over = false;
    void flights.join("a", [1], 0, 0)!.then(() => (over = true));
    fail(new Error("gone"));
    await expect(ran).rejects.toThrow("gone");
    await turn();
    expect(over).toBe(true);
    expect(flights.join("a", [1], 0, 0)).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("that ends late does not end the younger one in its place", async () => {
    const flights = createSingleFlight(1);
    const [older, younger] = [ending(), ending()];
    const ran = flights.run("a", [1], 0, older.ask);
    void flights.run("a", [1], PATIENCE_MS, younger.ask);
    older.succeed();
    await ran;
    let over = false;
    void flights.join("a", [1], PATIENCE_MS, PATIENCE_MS)!.then(() => (over = true));
    await turn();
    expect(over).toBe(false);
    younger.succeed();
    await turn();
    expect(over).toBe(true);
  });

  test("can be joined for its cost or more, in the same partition", () => {
    const flights = createSingleFlight(1);
    void flights.run("a", [3], 0, ending().ask);
    expect(flights.join("a", [2], 0, 0)).toBeUndefined();
    expect(flights.join("b", [3], 0, 0)).toBeUndefined();
    expect(flights.join("a", [3], 0, 0)).toBeInstanceOf(Promise);
    expect(flights.join("a", [4], 0, 0)).toBeInstanceOf(Promise);
  });

  test("of several policies can be joined if it costs none of them more", () => {
    const flights = createSingleFlight(2);
    void flights.run("a", [3, 1], 0, ending().ask);
    expect(flights.join("a", [3, 0], 0, 0)).toBeUndefined();
    expect(flights.join("a", [2, 9], 0, 0)).toBeUndefined();
    expect(flights.join("a", [3, 1], 0, 0)).toBeInstanceOf(Promise);
  });

  test("is one of a thousand at most: the oldest is dropped first", () => {
    const flights = createSingleFlight(1);
    const run = (partition: string) => void flights.run(partition, [1], 0, ending().ask);
    const isJoinable = (partition: string) => flights.join(partition, [1], 0, 0) !== undefined;
    for (let i = 0; i < 1_000; i++) run(`${i}`);
    expect([isJoinable("0"), isJoinable("999")]).toEqual([true, true]);
    run("1000");
    expect([isJoinable("0"), isJoinable("1"), isJoinable("1000")]).toEqual([false, true, true]);
  });
});
