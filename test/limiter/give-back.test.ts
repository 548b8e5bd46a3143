import { describe, expect, test } from "vitest";

import { type ErrorCode, StoreError } from "../../src/errors/errors.ts";
import { concurrency, fixedWindow, type Policy, tokenBucket } from "../../src/index.ts";
import { EVERY_FEATURE } from "../../src/limiter/every-feature.ts";
import { buildLimiter } from "../../src/limiter/limiter.ts";
import { DEFAULTS, type LimiterSettings } from "../../src/limiter/settings.ts";
import { memoryStore } from "../../src/store/memory-store.ts";
import type { Store } from "../../src/store/store.ts";
import { compile } from "../support/compile-policy.ts";

/* The refunds of a hold of an outage: where, when, by which verdict, and with which calls. */

const START_US = Date.UTC(2030, 0, 1) * 1000;
const SECOND_US = 1_000_000;

interface Refund {
  readonly costs: readonly number[];
  readonly end: () => void;
}

/** A limiter over a store that fails as it is told, and whose clock the test moves. */
function limiterOf(policies: readonly Policy[], changes: Partial<LimiterSettings> = {}) {
  const counts = memoryStore({ now: () => world.nowUs });
  const world = {
    nowUs: START_US,
    failure: undefined as { code: ErrorCode; ran: boolean } | undefined,
    /** Refunds that wait for the test to end them. */
    refunds: undefined as Refund[] | undefined,
    calls: [] as string[],
    counts,
  };

  async function meet<Answer>(call: string, run: () => Answer | Promise<Answer>): Promise<Answer> {
    world.calls.push(call);
    const { failure } = world;
    const answer = failure && !failure.ran ? undefined : await run();
    if (failure) throw new StoreError(failure.code, "It failed.");
    return answer as Answer;
  }

  const store: Store = {
    now: () => world.nowUs,
    decide: (operation, ...asked) => meet(operation, () => counts.decide(operation, ...asked)),
    refund: (keys, costs, ...taken) =>
      meet("refund", async () => {
        if (world.refunds) {
          await new Promise<void>((end) => world.refunds!.push({ costs, end }));
        }
        return counts.refund!(keys, costs, ...taken);
      }),
    extend: (...held) => meet("extend", () => counts.extend!(...held)),
    reset: (keys) => counts.reset(keys),
  };
  const settings = {
    ...DEFAULTS,
    ...changes,
    policies: compile(policies),
    now: () => world.nowUs / 1000,
  };
  return { limiter: buildLimiter(store, settings, EVERY_FEATURE), world };
}

const NOT_SENT = { code: "ERR_STORE_SUSPENDED", ran: false } as const;
const ANSWER_LOST = { code: "ERR_STORE_TIMEOUT", ran: true } as const;

const tokens = { name: "tokens", limit: 10, window: "1h", refundable: true } as const;

describe("in an outage, the policy's own verdict decides the refund, not the limiter's", () => {
  test.for<[own: Policy["onFailure"], limiters: LimiterSettings["onFailure"], back: number]>([
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
    const { limiter, world } = limiterOf([bucket], { onFailure });
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

  test.for<[own: Policy["onFailure"], limiters: LimiterSettings["onFailure"], then: string]>([
    // Here the slot is counted, and ends with its time.
    ["local", "open", "expired"],
    ["local", "closed", "expired"],
    // There is no count that could end.
    ["open", "local", "extended"],
  ])("slots: %o beside %o", async ([own, onFailure, then]) => {
    const streams = concurrency({ name: "streams", limit: 2, ttl: "10s", onFailure: own! });
    const { limiter, world } = limiterOf([streams], { onFailure });
    world.failure = NOT_SENT;
    const hold = await limiter.reserve("ada");
    expect(await hold.extend("10s")).toEqual({ status: "extended" });
    world.nowUs += 10 * SECOND_US;
    expect(await hold.extend("10s")).toEqual({ status: then });
    // Redis has no slot of this hold: it is not asked.
    expect(world.calls).toEqual(["consume"]);
  });
});

describe("units that an isolate counted by itself come back", () => {
  test("as much of a bucket as has not refilled since", async () => {
    const bucket = tokenBucket({ name: "b", limit: 10, refill: 1, per: "1s", refundable: true });
    const { limiter, world } = limiterOf([bucket]);
    world.failure = NOT_SENT;
    const hold = await limiter.reserve("ada", { cost: 5 });
    world.nowUs += 2 * SECOND_US;
    expect((await hold.release()).returned).toEqual({ b: 3 });
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
    // Always the first shard, which has room for 5.
    const { limiter, world } = limiterOf([split], { random: () => 0 });
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
    const { limiter, world } = limiterOf([fixedWindow(tokens), streams]);
    world.failure = ANSWER_LOST;
    const hold = await limiter.reserve("ada", { cost: { tokens: 4 } });
    world.failure = undefined;
    world.refunds = [];
    let isSettled = false;
    const settling = hold.release().then(() => (isSettled = true));
    await expect.poll(() => world.refunds!.length).toBe(1);
    expect(world.refunds[0]!.costs).toEqual([0, 1]);
    // A platform that waits for the settlement must not end the isolate before Redis has the slot back.
    await new Promise((resolve) => setImmediate(resolve));
    expect(isSettled).toBe(false);
    world.refunds[0]!.end();
    await settling;
    world.calls.length = 0;
    const { policies } = await limiter.peek("ada");
    expect(policies.map(({ remaining }) => remaining)).toEqual([6, 2]);
  });

  test.for([{ policies: [fixedWindow(tokens)] }, { policies: [fixedWindow(tokens), streams] }])(
    "asks nothing where it took no slots, of $policies.length policies",
    async ({ policies }) => {
      const { limiter, world } = limiterOf(policies);
      world.failure = ANSWER_LOST;
      const cost = policies.length > 1 ? { tokens: 4, streams: 0 } : 4;
      const hold = await limiter.reserve("ada", { cost });
      await hold.release();
      expect(world.calls).toEqual(["consume"]);
    },
  );
});

test("a hold names as reserved the units that it took, not those of a shadow without room", async () => {
  const shadow = fixedWindow({ ...tokens, name: "later", limit: 3, mode: "shadow" });
  const { limiter } = limiterOf([fixedWindow(tokens), shadow]);
  expect((await limiter.reserve("ada", { cost: 2 })).reserved).toEqual({ tokens: 2, later: 2 });
  expect((await limiter.reserve("ada", { cost: 2 })).reserved).toEqual({ tokens: 2 });
});
