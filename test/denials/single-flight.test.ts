import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import type { Operation } from "../../src/algorithms/model.ts";
import { createSingleFlight, MAX_WAIT_MS } from "../../src/decide/known-denials.ts";
import type { Limiter } from "../../src/decide/limiter-types.ts";
import { builtLimiter } from "../support/limiter/built-limiter.ts";
import { memoryStore, type Store, StoreError, tokenBucket } from "../support/limiter/plain.ts";

/** A round trip to Redis, in milliseconds. */
const TRIP = 20;

interface Call {
  readonly at: number;
  readonly operation: Operation;
  readonly cost: number;
}

let calls: Call[];
/** The fate of the next calls, one after the other; then all of them go through. */
let fates: ("fails" | "never ends")[];
let limiter: Limiter;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  calls = [];
  fates = [];
  const model = memoryStore();
  const distant: Store = {
    async decide(operation, keys, costs, policies) {
      calls.push({ at: performance.now(), operation, cost: costs[0]! });
      const fate = fates.shift();
      if (fate === "never ends") return new Promise(() => {});
      await pass(TRIP / 2);
      if (fate === "fails") throw new StoreError("ERR_STORE_UNREACHABLE", "gone");
      const reply = await model.decide(operation, keys, costs, policies);
      await pass(TRIP / 2);
      return reply;
    },
    reset: () => {},
  };
  const policies = [tokenBucket({ limit: 10, refill: 10, per: "10s" })];
  limiter = builtLimiter(distant, { policies });
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Uses the quota up, and lets the known denial run out; from here on only new calls are counted. */
async function runOut(identity = "a"): Promise<void> {
  const last = limiter.limit(identity, { cost: 10 });
  await vi.advanceTimersByTimeAsync(TRIP);
  expect((await last).reason).toBe("allowed");
  // A cost of 10 waits for the whole bucket.
  expect((await limiter.limit(identity, { cost: 10 })).reason).toBe("cached-denial");
  await vi.advanceTimersByTimeAsync(10_000);
  calls = [];
}

/** This many requests, one each millisecond; their reasons in the order of arrival. */
async function burst(size: number, cost: number, identity = "a"): Promise<string[]> {
  const decisions = Array.from({ length: size }, async (_, after) => {
    await pass(after);
    return (await limiter.limit(identity, { cost })).reason;
  });
  await vi.advanceTimersByTimeAsync(1_000);
  return Promise.all(decisions);
}

test("when a known denial has run out, one request asks and the others are answered by its answer", async () => {
  await runOut();
  expect(await burst(50, 10)).toEqual(["allowed", ...Array<string>(49).fill("cached-denial")]);
  expect(calls).toHaveLength(1);
});

test("an identity that was not denied lately asks at once, with any others", async () => {
  await runOut("somebody else");
  const start = performance.now();
  const reasons = await burst(11, 1);
  expect(reasons).toEqual([...Array<string>(10).fill("allowed"), "limited"]);
  expect(calls.map(({ at }) => at - start)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test("a request with a lower cost than the denied one does not wait", async () => {
  await runOut();
  const start = performance.now();
  const first = limiter.limit("a", { cost: 10 });
  const smaller = limiter.limit("a", { cost: 9 });
  const nothing = limiter.limit("a", { cost: 0 });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(calls.map(({ at, cost }) => [at - start, cost])).toEqual([
    [0, 10],
    [0, 9],
    [0, 0],
  ]);
  expect((await first).reason).toBe("allowed");
  expect((await smaller).reason).toBe("limited");
  expect((await nothing).reason).toBe("allowed");
});

test("only limit() waits", async () => {
  await runOut();
  const start = performance.now();
  const rest = [limiter.limit("a", { cost: 10 }), limiter.peek("a"), limiter.charge("a", 10)];
  const reset = limiter.reset("a");
  await vi.advanceTimersByTimeAsync(TRIP);
  await Promise.all([...rest, reset]);
  expect(calls.map(({ at, operation }) => [at - start, operation])).toEqual([
    [0, "consume"],
    [0, "peek"],
    [0, "charge"],
  ]);
});

test("when the one that asked fails, the others ask themselves", async () => {
  await runOut();
  fates = ["fails", "fails"];
  const reasons = await burst(3, 10);
  expect(reasons.filter((reason) => reason === "store-unavailable")).toHaveLength(2);
  expect(reasons.filter((reason) => reason === "allowed")).toHaveLength(1);
  expect(calls).toHaveLength(3);
});

test("a waiter that has seen no end asks when its patience ends, and one that comes later at once", async () => {
  await runOut();
  const start = performance.now();
  fates = ["never ends"];
  void limiter.limit("a", { cost: 10 });
  const waiting = burst(3, 10);
  await waiting;
  expect(calls.map(({ at }) => at - start)).toEqual([0, 150, 150, 150]);
  expect(await waiting).toEqual(["allowed", "limited", "limited"]);
});

test("an answer without a denial lets all ask at once", async () => {
  const charged = limiter.charge("a", 10);
  await vi.advanceTimersByTimeAsync(10_000 + TRIP);
  await charged;
  calls = [];
  const start = performance.now();
  expect(await burst(4, 1)).toEqual(Array(4).fill("allowed"));
  expect(calls.map(({ at }) => at - start)).toEqual([0, TRIP, TRIP, TRIP]);
});

test("a waiter that waits for one after the other runs out of patience all the same", async () => {
  const flights = createSingleFlight(1);
  const forever = () => new Promise<void>(() => {});
  void flights.run("a", [1], 0, forever);
  expect(flights.join("a", [1], 10, 20)).toBeInstanceOf(Promise);
  void flights.run("a", [1], 100, forever);
  expect(flights.join("a", [1], 10, MAX_WAIT_MS + 9)).toBeInstanceOf(Promise);
  expect(flights.join("a", [1], 10, MAX_WAIT_MS + 10)).toBeUndefined();
  expect(flights.join("a", [1], 110, MAX_WAIT_MS + 99)).toBeInstanceOf(Promise);
  expect(flights.join("a", [1], 110, MAX_WAIT_MS + 100)).toBeUndefined();
});

/** Something to wait for, and how to end it. */
function ending() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  return { ask: () => promise, succeed: () => resolve("answer"), fail: reject };
}

/** Lets promises run. */
const turn = () => vi.advanceTimersByTimeAsync(0);

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

  test("that ends late does not end the younger one in its place", async () => {
    const flights = createSingleFlight(1);
    const [older, younger] = [ending(), ending()];
    const ran = flights.run("a", [1], 0, older.ask);
    void flights.run("a", [1], MAX_WAIT_MS, younger.ask);
    older.succeed();
    await ran;
    let over = false;
    void flights.join("a", [1], MAX_WAIT_MS, MAX_WAIT_MS)!.then(() => (over = true));
    await turn();
    expect(over).toBe(false);
    younger.succeed();
    await turn();
    expect(over).toBe(true);
  });

  test("of several policies can be joined if it costs none of them more", () => {
    const flights = createSingleFlight(2);
    void flights.run("a", [3, 1], 0, ending().ask);
    expect(flights.join("a", [3, 0], 0, 0)).toBeUndefined();
    expect(flights.join("a", [2, 9], 0, 0)).toBeUndefined();
    expect(flights.join("b", [3, 1], 0, 0)).toBeUndefined();
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
