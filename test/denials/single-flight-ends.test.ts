import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { createSingleFlight, PATIENCE } from "../../src/denials/single-flight.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Something to wait for, and how to end it. */
function ending() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  return { ask: () => promise, succeed: () => resolve("answer"), fail: reject };
}

/** Lets promises run. */
const turn = () => vi.advanceTimersByTimeAsync(0);

test("a request waits for 150 ms, for others and for one that asks", () => {
  expect(PATIENCE).toBe(150);
});

describe("a single flight", () => {
  test("gives its answer to the one that leads it, and only the end of it to those that follow", async () => {
    const probes = createSingleFlight();
    const { ask, succeed } = ending();
    const led = probes.lead("a", 1, 0, ask);
    const followed = probes.follow("a", 1, 0, 0);
    succeed();
    expect(await led).toBe("answer");
    expect(await followed).toBeUndefined();
    expect(probes.follow("a", 1, 0, 0)).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("that fails fails for the one that leads it, and is over for those that follow", async () => {
    const probes = createSingleFlight();
    const { ask, fail } = ending();
    const led = probes.lead("a", 1, 0, ask);
    let over = false;
    void probes.follow("a", 1, 0, 0)!.then(() => (over = true));
    fail(new Error("gone"));
    await expect(led).rejects.toThrow("gone");
    await turn();
    expect(over).toBe(true);
    expect(probes.follow("a", 1, 0, 0)).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("whose end is late leaves the younger one that has taken its place", async () => {
    const probes = createSingleFlight();
    const [older, younger] = [ending(), ending()];
    const led = probes.lead("a", 1, 0, older.ask);
    void probes.lead("a", 1, PATIENCE, younger.ask);
    older.succeed();
    await led;
    let over = false;
    void probes.follow("a", 1, PATIENCE, PATIENCE)!.then(() => (over = true));
    await turn();
    expect(over).toBe(false);
    younger.succeed();
    await turn();
    expect(over).toBe(true);
  });

  test("is followed for its cost and more, by those of the same partition", () => {
    const probes = createSingleFlight();
    void probes.lead("a", 3, 0, ending().ask);
    expect(probes.follow("a", 2, 0, 0)).toBeUndefined();
    expect(probes.follow("b", 3, 0, 0)).toBeUndefined();
    expect(probes.follow("a", 3, 0, 0)).toBeInstanceOf(Promise);
    expect(probes.follow("a", 4, 0, 0)).toBeInstanceOf(Promise);
  });

  test("is one of a thousand at most: what never ends goes first", () => {
    const probes = createSingleFlight();
    const lead = (partition: string) => void probes.lead(partition, 1, 0, ending().ask);
    const isFollowed = (partition: string) => probes.follow(partition, 1, 0, 0) !== undefined;
    for (let i = 0; i < 1_000; i++) lead(`${i}`);
    expect([isFollowed("0"), isFollowed("999")]).toEqual([true, true]);
    lead("1000");
    expect([isFollowed("0"), isFollowed("1"), isFollowed("1000")]).toEqual([false, true, true]);
  });
});
