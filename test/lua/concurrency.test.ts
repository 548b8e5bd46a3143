import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, inject, test } from "vitest";

import { concurrency } from "../../src/algorithms/concurrency.ts";
import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import type { Operation, Slot } from "../../src/algorithms/model.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import { refundInMemory } from "../../src/store/memory-refund.ts";
import { extendSlots } from "../../src/store/memory-slots.ts";
import { createMemory } from "../../src/store/memory.ts";
import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import { redisStore } from "../../src/store/redis/store.ts";
import { FUTURE } from "../support/algorithm-script.ts";
import { compile } from "../support/compile-policy.ts";
import { redisWithClock } from "../support/redis-with-clock.ts";
import { IS_WHOLE, runs } from "../support/runs.ts";

let redis: Redis;
beforeAll(() => {
  redis = new Redis(inject("redisUrl"));
});
afterAll(() => redis.quit());

interface Clock {
  nowUs: number;
}

const inRedisAt = (clock: Clock) =>
  redisStore(
    redisWithClock(redis, () => clock.nowUs),
    ALL_SCRIPTS,
  );

const limit = fc.integer({ min: 1, max: 5 });
const ttl = fc.constantFrom("1s", "10s", "60s");
const mode = fc.constantFrom("enforce", "enforce", "enforce", "shadow");

/** Two policies with slots and one without; within a run, limits and ttls change. */
const lists = fc
  .record({ limits: fc.tuple(limit, limit), ttls: fc.tuple(ttl, ttl), mode })
  .map(({ limits, ttls, mode }) => () => {
    const all = [
      concurrency({ name: "first", limit: limits[0], ttl: ttls[0] as "1s" }),
      concurrency({
        name: "second",
        limit: limits[1],
        ttl: ttls[1] as "1s",
        mode: mode as "enforce",
      }),
      fixedWindow({ name: "requests", limit: 60, window: "1h" }),
    ];
    return { alone: compile(all.slice(0, 1)), together: compile(all) };
  });

const step = fc.record({
  /** As a share of a minute. */
  gap: fc.oneof(
    { weight: 5, arbitrary: fc.double({ min: 0, max: 0.1, noNaN: true }) },
    { weight: 2, arbitrary: fc.constantFrom(0, 1 / 60, 10 / 60, 1, 2) },
    { weight: 1, arbitrary: fc.double({ min: -3, max: 0, noNaN: true }) },
  ),
  nudge: fc.constantFrom(-1, 0, 0, 1),
  call: fc.constantFrom<Operation | "release" | "extend">(
    ...([
      "consume",
      "consume",
      "consume",
      "consume",
      "peek",
      "charge",
      "release",
      "extend",
      "extend",
    ] as const),
  ),
  id: fc.constantFrom("a", "b", "c", "d", "e", "f", "g", undefined),
  ttlUs: fc.constantFrom(1e6, 5e6, 60e6, 86_400e6),
  cost: fc.constantFrom(0, 1, 1, 1),
  which: fc.constantFrom("alone", "together"),
  lists: fc.option(lists, { freq: 10, nil: undefined }),
});

test("slots in Lua are those of the model, over random holds, clock steps and changes of the policy", async () => {
  const seen = { taken: 0, denied: 0, kept: 0, lost: 0 };
  await fc.assert(
    fc.asyncProperty(
      lists,
      fc.array(step, { minLength: 1, maxLength: 50, size: "max" }),
      async (firstLists, steps) => {
        const clock = { nowUs: FUTURE + 10 * 60e6 };
        const [inRedis, memory] = [inRedisAt(clock), createMemory()];
        const partition = `tg:{${crypto.randomUUID()}}`;
        let current = firstLists();
        for (const { gap, nudge, call, id, ttlUs, cost, which, lists: others } of steps) {
          if (others) current = others();
          const policies = current[which as "alone"];
          const keys = policies.map(({ key }) => `${partition}:${key}`);
          const costs = policies.map(() => cost);
          clock.nowUs = Math.max(FUTURE, clock.nowUs + Math.round(gap * 60e6) + nudge);
          const { nowUs } = clock;
          const slot = id === undefined ? undefined : { id, ttlUs };
          if (call === "release") {
            if (!slot) continue;
            // Nothing of the window comes back: its cost is 0.
            const costs = policies.map(() => 0);
            await inRedis.refund!(keys, costs, policies, { nowUs: nowUs - 60e6 }, slot);
            refundInMemory(memory, nowUs, keys, costs, policies, nowUs - 60e6, slot);
          } else if (call === "extend") {
            if (!slot) continue;
            const kept = await inRedis.extend!(keys, policies, slot);
            expect(kept).toEqual(extendSlots(memory, nowUs, keys, policies, slot));
            seen[kept[0] ? "kept" : "lost"]++;
          } else {
            const reply = await inRedis.decide(call, keys, costs, policies, slot);
            expect(reply).toEqual(memory.decide(nowUs, call, keys, costs, policies, slot));
            if (call === "consume" && slot && cost > 0)
              seen[reply.rows.every(({ allowed }) => allowed) ? "taken" : "denied"]++;
          }
        }
      },
    ),
    { numRuns: runs(160) },
  );
  // Not for want of trying.
  if (IS_WHOLE) expect(Math.min(...Object.values(seen))).toBeGreaterThan(20);
});

const [single] = compile([concurrency({ limit: 3, ttl: "60s" })]) as [CompiledPolicy];
const slotOf = (id: string, ttlUs = 60e6): Slot => ({ id, ttlUs });

/** One policy in Redis, at moments of the test. */
function partition() {
  const clock = { nowUs: FUTURE };
  const inRedis = inRedisAt(clock);
  const keys = [`tg:{${crypto.randomUUID()}}:${single.key}`];
  const policies = [single];
  return {
    clock,
    keys,
    key: keys[0]!,
    ask: async (operation: Operation, slot?: Slot, cost = 1) =>
      (await inRedis.decide(operation, keys, [cost], policies, slot)).rows[0]!,
    release: (id: string, takenAt: { readonly nowUs: number } = clock) =>
      inRedis.refund!(keys, [1], policies, takenAt, slotOf(id)),
    extend: async (slot: Slot) => (await inRedis.extend!(keys, policies, slot))[0],
    /** The slots, each followed by its expiry. */
    scores: () => redis.zrange(keys[0]!, 0, "-1", "WITHSCORES"),
  };
}

test("a client that waits as told finds a slot, one microsecond earlier does not", async () => {
  const { clock, ask } = partition();
  for (const [id, ttlUs] of [
    ["a", 50e6],
    ["b", 20e6],
    ["c", 30e6],
  ] as const) {
    await ask("consume", slotOf(id, ttlUs));
  }
  const denied = await ask("consume", slotOf("d"));
  expect(denied).toEqual({
    allowed: false,
    remaining: 0,
    retryAfterUs: 20e6,
    resetAfterUs: 50e6,
  });
  clock.nowUs += denied.retryAfterUs - 1;
  expect((await ask("consume", slotOf("d"))).allowed).toBe(false);
  clock.nowUs += 1;
  expect(await ask("consume", slotOf("d"))).toEqual({
    allowed: true,
    remaining: 0,
    retryAfterUs: 10e6,
    resetAfterUs: 60e6,
  });
});

test("after the limit was lowered, the wait is for as many slots as are too many", async () => {
  const { clock, keys, ask } = partition();
  for (const id of ["a", "b", "c"]) {
    await ask("consume", slotOf(id));
    clock.nowUs += 1e6;
  }
  const lowered = compile([concurrency({ limit: 2, ttl: "60s" })]);
  const ofLowered = async () =>
    (await inRedisAt(clock).decide("consume", keys, [1], lowered, slotOf("d"))).rows[0];
  // Two are too many: the second one to expire was taken two seconds ago.
  expect(await ofLowered()).toEqual({
    allowed: false,
    remaining: 0,
    retryAfterUs: 58e6,
    resetAfterUs: 59e6,
  });
  clock.nowUs += 58e6;
  expect(await ofLowered()).toMatchObject({ allowed: true, remaining: 0 });
});

test("an id whose slot has expired is denied while all are taken", async () => {
  const { clock, keys, ask } = partition();
  await ask("consume", slotOf("a", 1e6));
  for (const id of ["b", "c"]) await ask("consume", slotOf(id));
  clock.nowUs += 1e6;
  const lowered = compile([concurrency({ limit: 2, ttl: "60s" })]);
  const reply = await inRedisAt(clock).decide("consume", keys, [1], lowered, slotOf("a"));
  expect(reply.rows[0]).toMatchObject({ allowed: false, retryAfterUs: 59e6 });
});

test("an id that has a slot is allowed while all are taken, and renews nothing", async () => {
  const { clock, ask, scores } = partition();
  for (const id of ["a", "b", "c"]) await ask("consume", slotOf(id));
  const before = await scores();
  clock.nowUs += 30e6;
  expect(await ask("consume", slotOf("a"))).toEqual({
    allowed: true,
    remaining: 0,
    retryAfterUs: 30e6,
    resetAfterUs: 30e6,
  });
  expect(await scores()).toEqual(before);
});

test.for(["peek", "charge"] as const)("a %s takes no slot, even with an id", async (operation) => {
  const { ask, scores } = partition();
  await ask(operation, slotOf("a"));
  await ask("consume");
  await ask("consume", slotOf("a"), 0);
  expect(await scores()).toEqual([]);
});

test("a slot has the hold's time, at most the policy's", async () => {
  const { clock, ask, scores } = partition();
  await ask("consume", slotOf("short", 5e6));
  await ask("consume", slotOf("long", 86_400e6));
  const { nowUs } = clock;
  expect(await scores()).toEqual(["short", `${nowUs + 5e6}`, "long", `${nowUs + 60e6}`]);
});

test("a slot that is extended expires from now on, sooner or later; the others stay", async () => {
  const { clock, ask, extend, scores } = partition();
  const start = clock.nowUs;
  for (const id of ["a", "b"]) await ask("consume", slotOf(id));
  clock.nowUs += 40e6;
  expect(await extend(slotOf("a"))).toBe(true);
  expect(await scores()).toEqual(["b", `${start + 60e6}`, "a", `${start + 100e6}`]);
  expect(await extend(slotOf("a", 1e6))).toBe(true);
  expect(await scores()).toEqual(["a", `${start + 41e6}`, "b", `${start + 60e6}`]);
  expect(await extend(slotOf("a", 86_400e6))).toBe(true);
  expect(await scores()).toEqual(["b", `${start + 60e6}`, "a", `${start + 100e6}`]);
});

test("an extended slot of each policy expires by that policy's own ttl", async () => {
  const clock = { nowUs: FUTURE };
  const store = inRedisAt(clock);
  const policies = compile([
    concurrency({ name: "short", limit: 1, ttl: "5s" }),
    concurrency({ name: "long", limit: 1, ttl: "60s" }),
  ]);
  const id = crypto.randomUUID();
  const keys = policies.map(({ key }) => `tg:{${id}}:${key}`);
  await store.decide("consume", keys, [1, 1], policies, slotOf("a"));
  clock.nowUs += 1e6;
  expect(await store.extend!(keys, policies, slotOf("a"))).toEqual([true, true]);
  const ends = await Promise.all(keys.map((key) => redis.zscore(key, "a")));
  expect(ends).toEqual([`${clock.nowUs + 5e6}`, `${clock.nowUs + 60e6}`]);
});

test("a slot whose time is over is not extended, nor one that was released", async () => {
  const { clock, ask, release, extend, scores } = partition();
  for (const id of ["a", "b"]) await ask("consume", slotOf(id));
  await release("b");
  const before = await scores();
  expect(await extend(slotOf("b"))).toBe(false);
  clock.nowUs += 60e6;
  expect(await extend(slotOf("a"))).toBe(false);
  expect(await scores()).toEqual(before);
});

test("a slot comes back after the clock has stepped back, too", async () => {
  const { clock, ask, release } = partition();
  const takenAt = { nowUs: clock.nowUs };
  await ask("consume", slotOf("a"));
  clock.nowUs -= 3600e6;
  expect((await ask("peek")).remaining).toBe(2);
  await release("a", takenAt);
  expect((await ask("peek")).remaining).toBe(3);
});

test("a slot comes back once, and not after its time is over", async () => {
  const { clock, ask, release } = partition();
  for (const id of ["a", "b", "c"]) await ask("consume", slotOf(id));
  expect([await release("a"), await release("a")]).toEqual([[1], [0]]);
  clock.nowUs += 60e6 - 1;
  expect(await release("b")).toEqual([1]);
  clock.nowUs += 1;
  expect(await release("c")).toEqual([0]);
});

test("no wait is longer than the ttl, though more slots are kept for longer than one request mends", async () => {
  const { clock, key, ask } = partition();
  const beyond = Array.from({ length: 1_100 }, (_, i) => [clock.nowUs + 3600e6, `slot${i}`]);
  await redis.zadd(key, ...beyond.flat());
  expect(await ask("peek")).toMatchObject({ allowed: false, retryAfterUs: 60e6 });
  expect(await redis.zcount(key, clock.nowUs + 60e6 + 1, "+inf")).toBe(100);
});

test("after the clock has stepped back no slot is kept for longer than the ttl from then", async () => {
  const { clock, key, ask, scores } = partition();
  await ask("consume", slotOf("a"));
  clock.nowUs += 10e6;
  await ask("consume", slotOf("b", 5e6));
  clock.nowUs -= 3600e6;
  const { nowUs } = clock;
  expect((await ask("peek")).resetAfterUs).toBe(60e6);
  expect(await scores()).toEqual(["a", `${nowUs + 60e6}`, "b", `${nowUs + 60e6}`]);
  clock.nowUs += 60e6;
  expect(await ask("peek")).toMatchObject({ remaining: 3, resetAfterUs: 0 });
  expect(await redis.pexpiretime(key)).toBe(Math.floor((nowUs + 60e6) / 1000) + 1);
});

test("a key is kept until after its last slot, and goes with its last one that is released", async () => {
  const { clock, key, ask, release, extend } = partition();
  const start = clock.nowUs;
  const expiry = (us: number) => Math.floor(us / 1000) + 1;
  await ask("consume", slotOf("a"));
  await ask("consume", slotOf("b", 1e6));
  expect(await redis.pexpiretime(key)).toBe(expiry(start + 60e6));
  clock.nowUs += 500e3;
  await extend(slotOf("b"));
  expect(await redis.pexpiretime(key)).toBe(expiry(start + 60.5e6));
  await extend(slotOf("b", 1e6));
  expect(await redis.pexpiretime(key)).toBe(expiry(start + 60e6));
  await release("a");
  await release("b");
  expect(await redis.exists(key)).toBe(0);
});

test("expired slots go with the next slot that is taken", async () => {
  const { clock, ask, scores } = partition();
  for (const id of ["a", "b"]) await ask("consume", slotOf(id, 1e6));
  clock.nowUs += 1e6;
  await ask("consume", slotOf("c"));
  expect(await scores()).toEqual(["c", `${clock.nowUs + 60e6}`]);
});
