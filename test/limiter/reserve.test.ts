import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";

import type { FaultCode } from "../../src/options/errors.ts";
import { FUTURE } from "../support/algorithm-script.ts";
import { everyPolicy } from "../support/every-policy.ts";
import {
  createLimiter,
  type CreateLimiterOptions,
  fixedWindow,
  type Limiter,
  memoryStore,
  type Policy,
  slidingWindowLog,
} from "../support/limiter/plain.ts";
import { NO_ANSWER, NOT_SENT, watchedStore } from "../support/limiter/watched-store.ts";
import { redisWithClock } from "../support/redis-with-clock.ts";

let redis: Redis;
beforeAll(() => {
  redis = new Redis(inject("redisUrl"));
});
afterAll(() => redis.quit());

const tokens = (limit = 5_000) =>
  slidingWindowLog({ name: "tokens", limit, window: "1m", refundable: true });
const requests = (limit = 100) => fixedWindow({ name: "requests", limit, window: "1m" });

/** A client of its own, and the remaining units of each policy. */
function client(limiter: Limiter) {
  const identity = crypto.randomUUID();
  return {
    identity,
    async left(): Promise<Record<string, number>> {
      const { policies } = await limiter.peek(identity, { cost: 0 });
      return Object.fromEntries(policies.map(({ name, remaining }) => [name, remaining]));
    },
  };
}

describe.each(["memory", "Redis"])("counted in %s", (kind) => {
  // A multiple of every window, so that no boundary falls into a test.
  const begin = FUTURE - (FUTURE % 60e6);
  let nowUs = begin;
  const open = (...policies: Policy[]) => {
    nowUs = begin;
    const place: Partial<CreateLimiterOptions> =
      kind === "memory"
        ? { store: memoryStore({ now: () => nowUs }) }
        : { redis: redisWithClock(redis, () => nowUs), timeout: "10s", onFailure: "closed" };
    return createLimiter({ ...place, policies });
  };

  test("units that a request did not need are there for the next one", async () => {
    const limiter = open(requests(), tokens());
    const { identity, left } = client(limiter);
    const hold = await limiter.reserve(identity, { cost: { tokens: 4_000 } });
    expect(hold).toMatchObject({ allowed: true, reason: "allowed" });
    expect(await left()).toEqual({ requests: 99, tokens: 1_000 });
    nowUs += 12e6;
    expect(await hold.settle({ tokens: 812 })).toEqual({
      status: "settled",
      returned: { tokens: 3_188 },
      charged: {},
    });
    expect(await left()).toEqual({ requests: 99, tokens: 4_188 });
    expect(await limiter.limit(identity, { cost: { tokens: 4_188 } })).toMatchObject({
      allowed: true,
    });
  });

  test.each(everyPolicy(10, "10s"))(
    "$algorithm gives back the excess of a reservation",
    async (policy) => {
      const limiter = open({ ...policy, name: "units", refundable: true } as Policy);
      const { identity, left } = client(limiter);
      const hold = await limiter.reserve(identity, { cost: 8 });
      const other = await limiter.reserve(identity, { cost: 2 });
      expect(await left()).toEqual({ units: 0 });
      expect((await limiter.limit(identity)).allowed).toBe(false);
      expect(await hold.settle(3)).toMatchObject({ status: "settled", returned: { units: 5 } });
      expect(await left()).toEqual({ units: 5 });
      expect(await other.release()).toMatchObject({ status: "settled", returned: { units: 2 } });
      expect(await left()).toEqual({ units: 7 });
    },
  );

  test("one settlement charges one policy and gives back of another", async () => {
    const bytes = fixedWindow({ name: "bytes", limit: 1_000, window: "1m" });
    const limiter = open(tokens(), bytes);
    const { identity, left } = client(limiter);
    const hold = await limiter.reserve(identity, { cost: { tokens: 100, bytes: 100 } });
    expect(await hold.settle({ tokens: 30, bytes: 250 })).toEqual({
      status: "settled",
      returned: { tokens: 70 },
      charged: { bytes: 150 },
    });
    expect(await left()).toEqual({ tokens: 4_970, bytes: 750 });
  });

  test("a hold counts once, however often and at once it is settled and released", async () => {
    const limiter = open(tokens());
    const { identity, left } = client(limiter);
    const hold = await limiter.reserve(identity, { cost: 100 });
    const settled = { status: "settled", returned: { tokens: 60 }, charged: {} };
    expect(await Promise.all([hold.settle(40), hold.release(), hold.settle(4_000)])).toEqual([
      settled,
      settled,
      settled,
    ]);
    expect(await hold.release()).toEqual(settled);
    expect(await left()).toEqual({ tokens: 4_960 });
  });

  test("without a cost, or without that of a policy, the reservation stands", async () => {
    const limiter = open(requests(), tokens());
    const { identity, left } = client(limiter);
    const hold = await limiter.reserve(identity, { cost: { tokens: 100 } });
    expect(await hold.settle()).toEqual({ status: "settled", returned: {}, charged: {} });
    const named = await limiter.reserve(identity, { cost: { tokens: 100 } });
    await named.settle({ requests: 3 });
    expect(await left()).toEqual({ requests: 96, tokens: 4_800 });
  });

  test("a release takes nothing from a policy that gives nothing back", async () => {
    const limiter = open(requests(), tokens());
    const { identity, left } = client(limiter);
    const hold = await limiter.reserve(identity, { cost: { tokens: 100 } });
    expect(await hold.release()).toMatchObject({ returned: { tokens: 100 } });
    expect(await left()).toEqual({ requests: 99, tokens: 5_000 });
  });

  test("a denied hold took nothing, and settling it does nothing", async () => {
    const limiter = open(tokens(10));
    const { identity, left } = client(limiter);
    await limiter.limit(identity, { cost: 8 });
    const hold = await limiter.reserve(identity, { cost: 4 });
    expect(hold).toMatchObject({ allowed: false, reason: "limited", status: 429 });
    expect(hold.response().status).toBe(429);
    expect(await hold.settle(9)).toEqual({ status: "settled", returned: {}, charged: {} });
    expect(await hold.release()).toEqual({ status: "settled", returned: {}, charged: {} });
    expect(await left()).toEqual({ tokens: 2 });
  });

  test("a wrong cost is refused, and the hold can be settled after it", async () => {
    const limiter = open(requests(), tokens());
    const { identity, left } = client(limiter);
    const hold = await limiter.reserve(identity, { cost: { requests: 2, tokens: 100 } });
    await expect(hold.settle(-1)).rejects.toMatchObject({ code: "ERR_COST" });
    await expect(hold.settle({ token: 1 })).rejects.toMatchObject({ code: "ERR_COST" });
    await expect(hold.settle({ requests: 1 })).rejects.toMatchObject({
      code: "ERR_HOLD",
      message:
        "The policy requests gives nothing back: set refundable: true on it, or leave it out of the cost.",
    });
    await hold.settle({ requests: 2, tokens: 10 });
    expect(await left()).toEqual({ requests: 98, tokens: 4_990 });
  });

  test("each dimension gets back its own, and a policy in shadow too", async () => {
    const kept = { limit: 10, window: "1m", refundable: true } as const;
    const limiter = open(
      slidingWindowLog({ name: "a", by: "ip", ...kept }),
      slidingWindowLog({ name: "k", by: "key", ...kept }),
      fixedWindow({ name: "s", by: "key", mode: "shadow", ...kept }),
    );
    const [ip, key] = [crypto.randomUUID(), crypto.randomUUID()];
    const hold = await limiter.reserve({ ip, key }, { cost: { a: 4, k: 5, s: 6 } });
    expect(await hold.settle({ a: 1, k: 5, s: 4 })).toMatchObject({ returned: { a: 3, s: 2 } });
    const { policies, shadow } = await limiter.peek({ ip, key }, { cost: 0 });
    expect([...policies, ...shadow].map(({ name, remaining }) => [name, remaining])).toEqual([
      ["a", 9],
      ["k", 5],
      ["s", 6],
    ]);
  });

  test("a policy in shadow that had no room took nothing and gives nothing back", async () => {
    const shadow = slidingWindowLog({
      name: "shadow",
      limit: 10,
      window: "1m",
      mode: "shadow",
      refundable: true,
    });
    const limiter = open(requests(), shadow);
    const { identity } = client(limiter);
    await limiter.limit(identity, { cost: { shadow: 8 } });
    const hold = await limiter.reserve(identity, { cost: { shadow: 8 } });
    expect(await hold.release()).toEqual({ status: "settled", returned: {}, charged: {} });
    expect((await limiter.peek(identity)).shadow[0]).toMatchObject({ remaining: 2 });
  });

  test("a shard that denied gives back nothing, though one of its policies had room", async () => {
    const common = { window: "1m", shards: 2, refundable: true } as const;
    const limiter = open(
      slidingWindowLog({ ...common, name: "wide", limit: 8 }),
      slidingWindowLog({ ...common, name: "narrow", limit: 2 }),
    );
    // Half of the second holds begin with the shard that the first one has filled.
    for (let i = 0; i < 20; i++) {
      const { identity } = client(limiter);
      await limiter.reserve(identity);
      const second = await limiter.reserve(identity);
      expect(await second.release()).toMatchObject({ returned: { wide: 1, narrow: 1 } });
    }
  });
});

/** A limiter that asks a store which the test watches. */
function watched(policies: readonly Policy[], options: Partial<CreateLimiterOptions> = {}) {
  const { store, world, asked } = watchedStore(FUTURE);
  const calls = () => {
    const refund = asked.filter(({ call }) => call === "refund").length;
    return { decide: asked.length - refund, refund };
  };
  return { limiter: createLimiter({ store, policies, ...options }), world, calls };
}

test("a settlement is one call, and none where the estimate was right", async () => {
  const { limiter, calls } = watched([requests(), tokens()]);
  const [right, less, more] = [
    await limiter.reserve("ada", { cost: { tokens: 10 } }),
    await limiter.reserve("ada", { cost: { tokens: 10 } }),
    await limiter.reserve("ada", { cost: { tokens: 10 } }),
  ];
  expect(calls()).toEqual({ decide: 3, refund: 0 });
  await right.settle({ tokens: 10 });
  expect(calls()).toEqual({ decide: 3, refund: 0 });
  await less.settle({ tokens: 4 });
  expect(calls()).toEqual({ decide: 3, refund: 1 });
  await more.settle({ tokens: 14 });
  expect(calls()).toEqual({ decide: 4, refund: 1 });
});

test("the store decides every denial by a refundable policy, and other denials are known", async () => {
  const { limiter, calls } = watched([requests(2), tokens(10)]);
  await limiter.limit("ada", { cost: { tokens: 8 } });
  for (let i = 0; i < 3; i++) {
    const denied = await limiter.limit("ada", { cost: { tokens: 4 } });
    expect(denied).toMatchObject({ allowed: false, reason: "limited" });
  }
  expect(calls().decide).toBe(4);
  await limiter.limit("ada", { cost: { tokens: 1 } });
  expect((await limiter.limit("ada", { cost: { tokens: 1 } })).reason).toBe("cached-denial");
  expect(calls().decide).toBe(5);
});

test("a denial is known by policies without refunds, not by refundable ones", async () => {
  const short = slidingWindowLog({ name: "requests", limit: 1, window: "1s" });
  const { limiter, world } = watched([short, tokens(10)]);
  const hold = await limiter.reserve("ada", { cost: { tokens: 10 } });
  const denied = await limiter.limit("ada", { cost: { tokens: 10 } });
  expect(denied.reason).toBe("cached-denial");
  expect(denied.retryAfterMs).toBeLessThanOrEqual(1_000);
  await hold.release();
  world.nowUs += 1e6;
  expect(await limiter.limit("ada", { cost: { tokens: 10 } })).toMatchObject({ allowed: true });
});

const SLOW = expect.objectContaining({ code: "ERR_STORE_TIMEOUT" }) as Error;

test("a settlement that got no answer is unknown, and is never sent again", async () => {
  const { limiter, world, calls } = watched([tokens()]);
  const hold = await limiter.reserve("ada", { cost: 100 });
  world.failure = NO_ANSWER;
  const unknown = { status: "unknown", returned: {}, charged: {}, error: SLOW };
  expect(await hold.settle(10)).toEqual(unknown);
  world.failure = undefined;
  expect(await hold.settle(10)).toEqual(unknown);
  expect(calls().refund).toBe(1);
  const more = await limiter.reserve("ada", { cost: 100 });
  world.failure = NO_ANSWER;
  expect(await more.settle(130)).toEqual(unknown);
});

test("a settlement that surely did not run is sent again, at the cost that was settled first", async () => {
  const { limiter, world } = watched([tokens()]);
  const hold = await limiter.reserve("ada", { cost: 100 });
  world.failure = NOT_SENT;
  expect(await hold.settle(10)).toMatchObject({
    status: "not-sent",
    error: { code: "ERR_STORE_SUSPENDED" },
  });
  world.failure = undefined;
  expect(await hold.release()).toEqual({
    status: "settled",
    returned: { tokens: 90 },
    charged: {},
  });
  expect(await hold.release()).toMatchObject({ returned: { tokens: 90 } });
  expect((await limiter.peek("ada")).policies[0]).toMatchObject({ remaining: 4_990 });
});

test("units counted by an outage's own count go back to it, and the count of Redis stays unknown", async () => {
  const { limiter, world, calls } = watched([requests(), tokens(100)], { onFailure: "local" });
  // So that the count continues from the store's last answer.
  await limiter.limit("ada", { cost: { tokens: 20 } });
  world.failure = NO_ANSWER;
  const hold = await limiter.reserve("ada", { cost: { tokens: 80 } });
  expect(hold).toMatchObject({ allowed: true, reason: "store-unavailable" });
  expect((await limiter.limit("ada", { cost: { tokens: 31 } })).allowed).toBe(false);
  expect(await hold.settle({ tokens: 50 })).toEqual({
    status: "unknown",
    returned: { tokens: 30 },
    charged: {},
    error: SLOW,
  });
  expect((await limiter.limit("ada", { cost: { tokens: 31 } })).allowed).toBe(false);
  expect((await limiter.limit("ada", { cost: { tokens: 30 } })).allowed).toBe(true);
  expect(calls().refund).toBe(0);
});

test("a reservation that Redis was not asked about is settled where it was counted", async () => {
  const { limiter, world } = watched([tokens(100)]);
  world.failure = NOT_SENT;
  const [hold, other] = [
    await limiter.reserve("ada", { cost: 60 }),
    await limiter.reserve("ada", { cost: 40 }),
  ];
  expect([hold.allowed, other.allowed]).toEqual([true, true]);
  const settled = { status: "settled", returned: { tokens: 50 }, charged: {} };
  expect(await hold.settle(10)).toEqual(settled);
  expect(await hold.settle(10)).toEqual(settled);
  expect((await limiter.limit("ada", { cost: 51 })).allowed).toBe(false);
  expect((await limiter.limit("ada", { cost: 50 })).allowed).toBe(true);
});

test("a hold of a listed identity takes nothing", async () => {
  const lists = { allow: [{ identity: "ada" }], deny: [{ identity: "eve" }] };
  const { limiter, calls } = watched([tokens()], { lists });
  const [exempt, blocked] = [await limiter.reserve("ada"), await limiter.reserve("eve")];
  expect([exempt.reason, blocked.reason]).toEqual(["exempt", "blocked"]);
  expect(await exempt.settle(5)).toMatchObject({ status: "settled" });
  expect(await blocked.release()).toMatchObject({ status: "settled" });
  expect(calls()).toEqual({ decide: 0, refund: 0 });
});

test.each<[string, Partial<CreateLimiterOptions>, string, FaultCode]>([
  [
    "neither true nor false",
    { policies: [{ ...tokens(), refundable: "yes" as never }] },
    "policies[0].refundable",
    "shape",
  ],
  [
    "what counts denials",
    { policies: [requests(), { ...tokens(), counts: "denials" }] },
    "policies[1].refundable",
    "conflict",
  ],
  [
    "a policy with a lease",
    { policies: [{ ...tokens(), lease: "100ms" }] },
    "policies[0].refundable",
    "conflict",
  ],
  [
    "a limiter with a lease",
    { policies: [requests(), { ...tokens(), by: undefined }], lease: "100ms" } as never,
    "policies[1].refundable",
    "conflict",
  ],
  [
    "a store that cannot",
    { policies: [tokens()], store: { decide: () => ({}) as never, reset: () => {} } },
    "policies[0].refundable",
    "unsupported",
  ],
])("%s gives nothing back", (_, options, path, code) => {
  const open = () => createLimiter({ store: memoryStore(), policies: [], ...options });
  expect(open).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ path, code })] }) as Error,
  );
});
