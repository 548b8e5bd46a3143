import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";

import { FUTURE } from "../support/algorithm-script.ts";
import {
  concurrency,
  type ConfigurationError,
  createLimiter,
  type CreateLimiterOptions,
  fixedWindow,
  type Hold,
  limit,
  memoryStore,
  type Policy,
} from "../support/limiter/plain.ts";
import { NO_ANSWER, watchedStore } from "../support/limiter/watched-store.ts";
import { random } from "../support/random.ts";
import { redisWithClock } from "../support/redis-with-clock.ts";
import { runs } from "../support/runs.ts";

let redis: Redis;
beforeAll(() => {
  redis = new Redis(inject("redisUrl"));
});
afterAll(() => redis.quit());

const streams = (limit: number) => concurrency({ name: "streams", limit, ttl: "60s" });
const requests = fixedWindow({ name: "requests", limit: 100_000, window: "1h" });

describe.each(["memory", "Redis"])("counted in %s", (kind) => {
  let nowUs = FUTURE;
  const open = (...policies: Policy[]) => {
    nowUs = FUTURE;
    const place: Partial<CreateLimiterOptions> =
      kind === "memory"
        ? { store: memoryStore({ now: () => nowUs }) }
        : { redis: redisWithClock(redis, () => nowUs), timeout: "10s", onFailure: "closed" };
    return createLimiter({ ...place, policies });
  };

  test("as many holds at once as the limit, and one more for each that ends", async () => {
    const limiter = open(requests, streams(2));
    const id = crypto.randomUUID();
    const [first, second] = [await limiter.reserve(id), await limiter.reserve(id)];
    expect([first.allowed, second.allowed]).toEqual([true, true]);
    const denied = await limiter.reserve(id);
    // Clients are told a second; when the first slot expires is in the row.
    expect(denied).toMatchObject({
      allowed: false,
      reason: "limited",
      retryAfterMs: 1_000,
    });
    expect(denied.policies.find(({ name }) => name === "streams")!.retryAfterMs).toBe(60_000);
    expect(denied.headers().get("Retry-After")).toBe("1");
    expect(await first.settle()).toEqual({
      status: "settled",
      returned: { streams: 1 },
      charged: {},
    });
    expect((await limiter.reserve(id)).allowed).toBe(true);
    expect((await limiter.reserve(id)).allowed).toBe(false);
    expect(await denied.release()).toMatchObject({ returned: {} });
    expect(await second.release()).toMatchObject({ returned: { streams: 1 } });
    expect((await limiter.reserve(id)).allowed).toBe(true);
    // Denied ones took nothing.
    const { policies } = await limiter.peek(id);
    expect(policies[0]).toMatchObject({ name: "requests", remaining: 99_996 });
  });

  test("a hold that never ends frees its slot with its time, and a late end frees no other slot", async () => {
    const limiter = open(streams(1));
    const id = crypto.randomUUID();
    const lost = await limiter.reserve(id, { ttl: "5s" });
    nowUs += 5e6 - 1;
    expect((await limiter.reserve(id)).retryAfterMs).toBe(0.001);
    nowUs += 1;
    const next = await limiter.reserve(id);
    expect(next.allowed).toBe(true);
    expect(await lost.extend()).toEqual({ status: "expired" });
    expect(await lost.settle()).toEqual({ status: "settled", returned: {}, charged: {} });
    expect((await limiter.reserve(id)).allowed).toBe(false);
  });

  test("an extension keeps the hold's own slot, and no other", async () => {
    const limiter = open(streams(2));
    const id = crypto.randomUUID();
    const [kept, left] = [await limiter.reserve(id), await limiter.reserve(id)];
    nowUs += 50e6;
    expect(await kept.extend()).toEqual({ status: "extended" });
    nowUs += 10e6;
    expect(await left.extend("60s")).toEqual({ status: "expired" });
    expect((await limiter.reserve(id)).allowed).toBe(true);
    expect((await limiter.reserve(id)).allowed).toBe(false);
    expect(await kept.extend("2s")).toEqual({ status: "extended" });
    nowUs += 2e6;
    expect((await limiter.reserve(id)).allowed).toBe(true);
    await kept.settle();
    expect(await kept.extend()).toEqual({ status: "expired" });
  });

  test("a cost of 0 takes no slot, and any other one", async () => {
    const limiter = open(requests, streams(2));
    const id = crypto.randomUUID();
    const none = await limiter.reserve(id, { cost: { streams: 0 } });
    expect(await none.extend()).toEqual({ status: "extended" });
    expect((await none.settle({ streams: 1 })).charged).toEqual({});
    expect(await none.extend()).toEqual({ status: "expired" });
    const hold = await limiter.reserve(id, { cost: 2 });
    const { policies } = await limiter.peek(id);
    expect(policies.map(({ remaining }) => remaining)).toEqual([99_997, 1]);
    await expect(hold.settle(3)).resolves.toEqual({
      status: "settled",
      returned: { streams: 1 },
      charged: { requests: 1 },
    });
  });

  test("a cost in one number is one slot: an estimate of 4,000 units fits, and one of 0 is no way past", async () => {
    const tokens = fixedWindow({ name: "tokens", limit: 5_000, window: "1h", refundable: true });
    const limiter = open(tokens, streams(2));
    const id = crypto.randomUUID();
    for (const cost of [4_000, 0]) {
      expect(await limiter.reserve(id, { cost })).toMatchObject({ allowed: true });
    }
    expect(await limiter.reserve(id, { cost: 0 })).toMatchObject({
      allowed: false,
      reason: "limited",
    });
    const { policies } = await limiter.peek(id, { cost: { tokens: 0 } });
    expect(policies.map(({ remaining }) => remaining)).toEqual([1_000, 0]);
    const named = await limiter.reserve(crypto.randomUUID(), { cost: { streams: 3 } });
    expect(named.policies[1]).toMatchObject({ allowed: true, remaining: 1 });
  });

  test("streams that die at random: never more than 20 at once, and all 20 again in time", async () => {
    const limiter = open(streams(20));
    const id = crypto.randomUUID();
    const next = random(11);
    /** Until when each slot is held, by its stream; the dead ones do not tell. */
    const live = new Map<Hold, number>();
    let [admitted, most, extended] = [0, 0, 0];
    while (admitted < runs(1_000)) {
      nowUs += Math.round(next() * 2e6);
      for (const [hold, untilUs] of live) if (untilUs <= nowUs) live.delete(hold);
      const hold = await limiter.reserve(id);
      expect(hold.allowed).toBe(live.size < 20);
      if (hold.allowed) {
        admitted++;
        live.set(hold, nowUs + 60e6);
      }
      most = Math.max(most, live.size);
      for (const each of live.keys()) {
        const fate = next();
        if (fate < 0.02) {
          await each.settle();
          live.delete(each);
        } else if (fate < 0.04) {
          expect(await each.extend("60s")).toEqual({ status: "extended" });
          live.set(each, nowUs + 60e6);
          extended++;
        }
      }
    }
    expect(most).toBe(20);
    expect(extended).toBeGreaterThan(runs(100));
    nowUs += 60e6;
    const again = await Promise.all(Array.from({ length: 21 }, () => limiter.reserve(id)));
    expect(again.filter(({ allowed }) => allowed)).toHaveLength(20);
  });
});

test("a limit() is refused where a hold is needed, and so is a wrong ttl", async () => {
  const limiter = createLimiter({ store: memoryStore(), policies: [requests, streams(2)] });
  await expect(limiter.limit("ada")).rejects.toMatchObject({
    code: "ERR_HOLD",
    message:
      "The policy streams gives slots to holds, which end: use reserve(), and settle() or release() of its hold.",
  });
  for (const ttl of ["999ms", "25h", 60, "soon"] as never[]) {
    await expect(limiter.reserve("ada", { ttl })).rejects.toMatchObject({ code: "ERR_HOLD" });
  }
  const hold = await limiter.reserve("ada");
  await expect(hold.extend("1ms")).rejects.toMatchObject({
    code: "ERR_HOLD",
    message: 'ttl must be a time with its unit from "1s" to "24h", such as "60s", not "1ms".',
  });
  const { faults } = (await limit("ada", streams(2)).catch(
    (error: unknown) => error,
  )) as ConfigurationError;
  const fault = { path: "policies[0].algorithm", value: '"concurrency"', code: "unsupported" };
  expect(faults).toContainEqual(expect.objectContaining(fault));
});

test("a slot that Redis took without answering is freed by the hold's id", async () => {
  const { store, world } = watchedStore(FUTURE);
  const limiter = createLimiter({ store, policies: [streams(1)] });
  world.failure = { ...NO_ANSWER, ran: true };
  const hold = await limiter.reserve("ada");
  expect(hold).toMatchObject({ allowed: true, reason: "store-unavailable" });
  world.failure = undefined;
  expect((await limiter.reserve("ada")).allowed).toBe(false);
  expect(await hold.settle()).toMatchObject({
    status: "unknown",
    error: { code: "ERR_STORE_TIMEOUT" },
  });
  const next = await limiter.reserve("ada");
  expect(next.allowed).toBe(true);
  world.failure = { ...NO_ANSWER, ran: true };
  expect(await next.extend()).toMatchObject({
    status: "unknown",
    error: { code: "ERR_STORE_TIMEOUT" },
  });
});

test.each([
  ["250ms", 250, "1"],
  ["10s", 10_000, "10"],
  ["24h", 120_000, "120"],
] as const)(
  "clients without a slot are told to wait for %s at most",
  async (retryAfter, ms, seconds) => {
    const limiter = createLimiter({
      store: memoryStore({ now: () => 1_800_000_000_000_000 }),
      policies: [concurrency({ name: "streams", limit: 1, ttl: "120s", retryAfter })],
    });
    await limiter.reserve("ada");
    const denied = await limiter.reserve("ada");
    expect(denied.retryAfterMs).toBe(ms);
    expect(denied.headers().get("Retry-After")).toBe(seconds);
    expect(denied.headers().get("RateLimit")).toBe(`"streams";r=0;t=${seconds}`);
    expect(denied.policies[0]!.retryAfterMs).toBe(120_000);
  },
);
