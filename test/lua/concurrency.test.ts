import fc from "fast-check";
import { expect, test } from "vitest";

import type { Operation, Slot } from "../../src/algorithms/model.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import { extendSlots } from "../../src/store/memory-slots.ts";
import { refundInMemory } from "../../src/store/memory-store.ts";
import { createMemory } from "../../src/store/memory.ts";
import { FUTURE } from "../support/algorithm-script.ts";
import { compile } from "../support/compile-policy.ts";
import { concurrency, fixedWindow } from "../support/limiter/plain.ts";
import { storeWithClock } from "../support/redis-with-clock.ts";
import { IS_WHOLE, runs } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";

const redis = testRedis();

interface Clock {
  nowUs: number;
}

const inRedisAt = (clock: Clock) => storeWithClock(redis, () => clock.nowUs);

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
  call: fc.oneof(
    { weight: 4, arbitrary: fc.constant("consume" as const) },
    { weight: 5, arbitrary: fc.constantFrom("peek", "charge", "release", "extend", "extend") },
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
            // Nothing of the window comes back: its cost is 0. A slot does, also of a time to come: the clock has gone back.
            const costs = policies.map(() => 0);
            const takenAtUs = nowUs + 60e6 * nudge;
            const given = await inRedis.refund!(keys, costs, policies, { nowUs: takenAtUs }, slot);
            expect(given).toEqual(
              refundInMemory(memory, nowUs, keys, costs, policies, takenAtUs, slot),
            );
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

test("no wait is longer than the ttl, though more slots are kept for longer than one request mends", async () => {
  const { clock, key, ask } = partition();
  const beyond = Array.from({ length: 1_100 }, (_, i) => [clock.nowUs + 3600e6, `slot${i}`]);
  await redis.zadd(key, ...beyond.flat());
  expect(await ask("peek")).toMatchObject({ allowed: false, retryAfterUs: 60e6 });
  expect(await redis.zcount(key, clock.nowUs + 60e6 + 1, "+inf")).toBe(100);
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

test("a hold that is extended under a shorter ttl leaves a key its other hold's time", async () => {
  const { clock, keys, key, ask, scores } = partition();
  const start = clock.nowUs;
  for (const id of ["a", "b"]) await ask("consume", slotOf(id));
  const shorter = compile([concurrency({ limit: 3, ttl: "1s" })]);
  expect(await inRedisAt(clock).extend!(keys, shorter, slotOf("b"))).toEqual([true]);
  expect(await scores()).toEqual(["b", `${start + 1e6}`, "a", `${start + 60e6}`]);
  expect(await redis.pexpiretime(key)).toBe(Math.floor((start + 60e6) / 1000) + 1);
});

test("expired slots go with the next slot that is taken", async () => {
  const { clock, ask, scores } = partition();
  for (const id of ["a", "b"]) await ask("consume", slotOf(id, 1e6));
  clock.nowUs += 1e6;
  await ask("consume", slotOf("c"));
  expect(await scores()).toEqual(["c", `${clock.nowUs + 60e6}`]);
});
