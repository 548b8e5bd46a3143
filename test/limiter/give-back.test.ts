import { describe, expect, test } from "vitest";

import { limiterOver } from "../support/limiter/limiter-over.ts";
import {
  concurrency,
  fixedWindow,
  type LimiterOptions,
  type Policy,
  tokenBucket,
} from "../support/limiter/plain.ts";
import { NO_ANSWER, NOT_SENT, watchedStore } from "../support/limiter/watched-store.ts";

/* The refunds of a hold of an outage: where, when, by which verdict, and with which calls. */

const SECOND_US = 1_000_000;
const ANSWER_LOST = { ...NO_ANSWER, ran: true };

/** A limiter whose requests with shards go to the first one, which has room for its part. */
function limiterOf(policies: readonly Policy[], onFailure: LimiterOptions["onFailure"] = "local") {
  const { store, world, asked } = watchedStore();
  const own = { now: () => world.nowUs / 1000, random: () => 0 };
  const limiter = limiterOver(store, { policies, onFailure }, own);
  return { limiter, store, world, calls: () => asked.map(({ call }) => call), asked };
}

const tokens = { name: "tokens", limit: 10, window: "1h", refundable: true } as const;

describe("in an outage, the policy's own verdict decides the refund, not the limiter's", () => {
  test.for<[own: Policy["onFailure"], limiters: LimiterOptions["onFailure"], back: number]>([
    ["local", "open", 6],
    ["local", "closed", 6],
    [{ local: { share: 0.5 } }, "local", 3],
    ["local", { local: { share: 0.1 } }, 6],
    ["open", "local", 0],
  ])("units: %o beside %o", async ([own, onFailure, back]) => {
    const bucket = tokenBucket({
      name: "tokens",
      limit: 10,
      refill: 10,
      per: "1h",
      refundable: true,
      onFailure: own!,
    });
    const { limiter, world } = limiterOf([bucket], onFailure);
    world.failure = NOT_SENT;
    const cost = typeof own === "object" ? 3 : 6;
    const hold = await limiter.reserve("ada", { cost });
    expect(hold).toMatchObject({ allowed: true, reason: "store-unavailable" });
    const before = (await limiter.peek("ada")).policies[0]!.remaining;
    expect(await hold.release()).toEqual({
      status: "settled",
      returned: back > 0 ? { tokens: back } : {},
      charged: {},
    });
    expect((await limiter.peek("ada")).policies[0]!.remaining).toBe(before + back);
  });

  test.for<[own: Policy["onFailure"], limiters: LimiterOptions["onFailure"], then: string]>([
    // Here the slot is counted, and ends with its time.
    ["local", "open", "expired"],
    ["local", "closed", "expired"],
    // There is no count that could end.
    ["open", "local", "extended"],
  ])("slots: %o beside %o", async ([own, onFailure, then]) => {
    const streams = concurrency({ name: "streams", limit: 2, ttl: "10s", onFailure: own! });
    const { limiter, world, calls } = limiterOf([streams], onFailure);
    world.failure = NOT_SENT;
    const hold = await limiter.reserve("ada");
    expect(await hold.extend("10s")).toEqual({ status: "extended" });
    world.nowUs += 10 * SECOND_US;
    expect(await hold.extend("10s")).toEqual({ status: then });
    // Redis has no slot of this hold: it is not asked.
    expect(calls()).toEqual(["consume"]);
  });
});

describe("units that an isolate counted by itself come back", () => {
  test("all of a bucket in its window, within which no unit comes back by itself", async () => {
    const bucket = tokenBucket({ name: "b", limit: 10, refill: 1, per: "1s", refundable: true });
    const { limiter, world } = limiterOf([bucket]);
    world.failure = NOT_SENT;
    const hold = await limiter.reserve("ada", { cost: 5 });
    world.nowUs += 2 * SECOND_US;
    expect((await hold.release()).returned).toEqual({ b: 5 });
    expect((await limiter.peek("ada")).policies[0]!.remaining).toBe(10);
  });

  test("not to the next window, whose units are others'", async () => {
    const { limiter, world } = limiterOf([fixedWindow(tokens)]);
    world.failure = NOT_SENT;
    const hold = await limiter.reserve("ada", { cost: 5 });
    world.nowUs += 3_600 * SECOND_US;
    await limiter.limit("ada", { cost: 5 });
    expect((await hold.release()).returned).toEqual({});
    expect((await limiter.peek("ada")).policies[0]!.remaining).toBe(5);
  });

  test("to the count that goes on from Redis's last answer, too, of a shard", async () => {
    const split = fixedWindow({ ...tokens, shards: 2 });
    const { limiter, world } = limiterOf([split]);
    await limiter.limit("ada");
    world.failure = NOT_SENT;
    for (let again = 0; again < 3; again++) {
      const hold = await limiter.reserve("ada", { cost: 4 });
      expect(hold.allowed).toBe(true);
      expect((await hold.release()).returned).toEqual({ tokens: 4 });
    }
    expect((await limiter.peek("ada")).policies[0]!.remaining).toBe(4);
  });
});

describe("a reservation whose answer was lost", () => {
  const streams = concurrency({ name: "streams", limit: 2, ttl: "60s" });

  test("gives its slots back in Redis, and no units, as their count is unknown", async () => {
    const { limiter, store, world, asked } = limiterOf([fixedWindow(tokens), streams]);
    world.failure = ANSWER_LOST;
    const hold = await limiter.reserve("ada", { cost: { tokens: 4 } });
    world.failure = undefined;
    const refund = store.refund!;
    const { promise: arrival, resolve: arrive } = Promise.withResolvers<void>();
    store.refund = (...taken) => arrival.then(() => refund(...taken));
    let isSettled = false;
    const settling = hold.release().then(() => (isSettled = true));
    // A platform that waits for the settlement must not end the isolate before Redis has the slot back.
    await new Promise((resolve) => setImmediate(resolve));
    expect(isSettled).toBe(false);
    arrive();
    await settling;
    expect(asked.at(-1)).toMatchObject({ call: "refund", costs: [0, 1] });
    const { policies } = await limiter.peek("ada");
    expect(policies.map(({ remaining }) => remaining)).toEqual([6, 2]);
  });

  test.for([{ policies: [fixedWindow(tokens)] }, { policies: [fixedWindow(tokens), streams] }])(
    "asks nothing where it took no slots, of $policies.length policies",
    async ({ policies }) => {
      const { limiter, world, calls } = limiterOf(policies);
      world.failure = ANSWER_LOST;
      const cost = policies.length > 1 ? { tokens: 4, streams: 0 } : 4;
      const hold = await limiter.reserve("ada", { cost });
      await hold.release();
      expect(calls()).toEqual(["consume"]);
    },
  );
});
