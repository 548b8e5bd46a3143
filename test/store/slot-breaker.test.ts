import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { hashSlot } from "../../src/store/cluster/hash-slot.ts";
import { createSlotBreaker } from "../../src/store/cluster/slot-breaker.ts";
import { type RedisCluster, startRedisCluster } from "../support/redis-cluster.ts";

/** Keys whose slots are 64 apart: each in a group of its own. */
const KEYS: string[] = [];
for (let i = 0; KEYS.filter(Boolean).length < 256; i++) {
  const key = `tg:{user:${i}}:p`;
  KEYS[Math.floor(hashSlot(key) / 64)] ??= key;
}
const [a, b, c, d, e, f, g] = KEYS as [string, string, string, string, string, string, string];

function failing(keys: readonly string[], at = 1_000) {
  const breaker = createSlotBreaker();
  for (const key of keys) breaker.failed(key, at, at);
  return breaker;
}

const CLOSED = { breaker: "closed", suspendedSlots: 0 };

describe("the hash slot of a key", () => {
  let cluster: RedisCluster;
  let redis: Redis;
  beforeAll(async () => {
    cluster = await startRedisCluster({ masters: 1 });
    redis = new Redis(cluster.urls[0]!);
  });
  afterAll(async () => {
    redis.disconnect();
    await cluster.stop();
  });

  test("is the one that Redis Cluster computes", async () => {
    const keys = [
      "tg:{a}:p",
      "a.b:c:{#health}:health",
      "tg:{123456789}:p",
      `tg:{${"x".repeat(128)}}:p`,
      "tg:{~@:/+=,|-%20%u1f600}:p",
      ...Array.from({ length: 200 }, () => `tg:{${crypto.randomUUID()}}:login`),
    ];
    for (const key of keys) expect(hashSlot(key)).toBe(await redis.cluster("KEYSLOT", key));
    // CRC16 of XMODEM, by its own test value.
    expect(hashSlot("{123456789}")).toBe(0x31c3);
  });
});

test("one group of slots is suspended by its fifth failure in a row, the others are not", () => {
  expect(failing([a, a, a, a]).admits(a, 1_000)).toBe(true);
  const breaker = failing([a, a, a, a, a]);
  expect(breaker.admits(a, 1_000)).toBe(false);
  expect(KEYS.slice(1).every((key) => breaker.admits(key, 1_000))).toBe(true);
  expect(breaker.state(1_000)).toEqual({ breaker: "open", suspendedSlots: 64 });
});

test("a success in between starts a group's count anew", () => {
  const breaker = failing([a, a, a, a]);
  breaker.succeeded(a, 1_000);
  for (let failure = 0; failure < 4; failure++) breaker.failed(a, 1_000, 1_000);
  expect(breaker.admits(a, 1_000)).toBe(true);
});

test("once a group has failed three times, one is enough for a group that has not answered since", () => {
  const breaker = failing([a, a, b, b, e]);
  breaker.succeeded(c, 1_000);
  breaker.failed(f, 1_000, 1_000);
  expect([breaker.admits(e, 1_000), breaker.admits(f, 1_000)]).toEqual([true, true]);
  breaker.failed(b, 1_000, 1_000);
  breaker.failed(d, 1_000, 1_000);
  breaker.failed(c, 1_000, 1_000);
  expect(breaker.admits(d, 1_000)).toBe(false);
  expect(breaker.admits(c, 1_000)).toBe(true);
  for (let failure = 1; failure < 5; failure++) breaker.failed(c, 1_000, 1_000);
  expect(breaker.admits(c, 1_000)).toBe(false);
});

test("all suspended groups share one probe per second, and when one answers all may try", () => {
  const breaker = failing([a, a, a, a, a]);
  breaker.failed(b, 1_100, 1_100);
  breaker.succeeded(g, 1_200);
  expect(breaker.admits(b, 1_999)).toBe(false);
  expect(breaker.state(2_000)).toEqual({ breaker: "half-open", suspendedSlots: 128 });
  expect(breaker.admits(b, 2_000)).toBe(true);
  expect(breaker.state(2_000)).toEqual({ breaker: "open", suspendedSlots: 128 });
  expect(breaker.admits(a, 2_500)).toBe(false);
  breaker.failed(b, 2_000, 2_600);
  expect(breaker.admits(a, 3_599)).toBe(false);
  expect(breaker.admits(a, 3_600)).toBe(true);
  expect(breaker.succeeded(a, 3_610)).toBe(false);
  expect([breaker.admits(b, 3_610), breaker.admits(b, 3_610)]).toEqual([true, true]);
  expect(breaker.succeeded(b, 3_620)).toBe(true);
  expect(breaker.state(3_620)).toEqual(CLOSED);
});

describe("the whole store", () => {
  test("is suspended when five groups fail and nothing answers", () => {
    const breaker = failing([a, b, c, d, e]);
    expect(breaker.state(1_000)).toEqual({ breaker: "open", suspendedSlots: 16_384 });
    expect(breaker.admits(f, 1_999)).toBe(false);
    expect(breaker.admits(f, 2_000)).toBe(true);
    expect(breaker.admits(g, 2_999)).toBe(false);
  });

  test("is not, however often four groups fail", () => {
    const breaker = failing([a, b, c, d, a, b, c, d, a, b, c, d]);
    expect(breaker.admits(e, 1_000)).toBe(true);
  });

  test("is not for as long as something has answered in the last quarter of a second", () => {
    const breaker = createSlotBreaker();
    breaker.failed(a, 1_000, 1_000);
    breaker.succeeded(g, 1_000);
    for (const key of [b, c, d, e, f]) breaker.failed(key, 1_100, 1_249);
    expect(breaker.admits(g, 1_249)).toBe(true);
    for (const key of KEYS.slice(10, 15)) breaker.failed(key, 1_100, 1_250);
    expect(breaker.admits(g, 1_250)).toBe(false);
  });

  test("is probed again a second after a probe has failed, whichever group it was of", () => {
    const breaker = failing([a, b, c, d, e]);
    expect(breaker.admits(a, 2_000)).toBe(true);
    breaker.failed(a, 2_000, 2_200);
    expect([breaker.admits(f, 3_199), breaker.admits(f, 3_200)]).toEqual([false, true]);
  });

  test("is not by failures of calls sent before the last answer", () => {
    const breaker = createSlotBreaker();
    breaker.failed(a, 1_000, 1_000);
    breaker.succeeded(g, 1_100);
    for (const key of [b, c, d, e, f]) breaker.failed(key, 1_099, 1_400);
    expect(breaker.admits(g, 1_400)).toBe(true);
    for (const key of KEYS.slice(10, 15)) breaker.failed(key, 1_100, 1_400);
    expect(breaker.admits(g, 1_400)).toBe(false);
  });

  test("is probed by a group that is suspended itself only where no other asks for a while", () => {
    const breaker = failing([a, a, a, a, a, b, c, d, e]);
    expect(breaker.admits(a, 2_249)).toBe(false);
    expect(breaker.admits(a, 2_250)).toBe(true);
    expect(breaker.admits(f, 2_250)).toBe(false);
  });

  test("is back as a whole where no slot had answered, and as far as is known where one had", () => {
    const gone = failing([a, b, c, d, e, f]);
    expect(gone.succeeded(g, 2_000)).toBe(true);
    expect(gone.state(2_000)).toEqual(CLOSED);

    const busy = failing([a, a, a, a, a, b, c, d, e]);
    expect(busy.succeeded(f, 2_000)).toBe(true);
    expect(busy.state(2_000)).toEqual(CLOSED);

    const partly = failing([a, a, a, a, a]);
    partly.succeeded(g, 1_000);
    for (const key of [b, c, d, e, f]) partly.failed(key, 1_300, 1_300);
    expect(partly.state(1_300).suspendedSlots).toBe(16_384);
    expect(partly.succeeded(g, 2_300)).toBe(false);
    expect(partly.state(2_300)).toEqual({ breaker: "half-open", suspendedSlots: 6 * 64 });
  });
});

test("an outage begins once and ends once, however its parts fail and answer meanwhile", () => {
  const breaker = createSlotBreaker();
  const begins = [a, a, a, a, a, b].map((key) => breaker.failed(key, 1_000, 1_000));
  expect(begins).toEqual([true, false, false, false, false, false]);
  expect(breaker.succeeded(c, 1_001)).toBe(false);
  expect(breaker.succeeded(a, 2_001)).toBe(false);
  expect(breaker.succeeded(b, 2_002)).toBe(true);
  expect(breaker.succeeded(b, 2_003)).toBe(false);
  expect(breaker.failed(b, 2_004, 2_004)).toBe(true);
  // A single lost request is over when others have been answered for a second.
  expect(breaker.succeeded(a, 3_003)).toBe(false);
  expect(breaker.succeeded(a, 3_004)).toBe(true);
});

test("a suspended group that is not asked is forgotten ten seconds after the last failure", () => {
  const breaker = failing([a, a, a, a, a]);
  expect(breaker.succeeded(g, 11_000)).toBe(false);
  expect(breaker.succeeded(g, 11_001)).toBe(true);
  expect(breaker.admits(a, 11_001)).toBe(true);
});

test("a slot that answered in one outage is not spared in the next", () => {
  const breaker = failing([a]);
  breaker.succeeded(b, 2_000);
  expect(breaker.succeeded(a, 2_001)).toBe(false);
  for (const key of [a, a, a, b, b]) breaker.failed(key, 3_000, 3_000);
  expect([breaker.admits(a, 3_000), breaker.admits(b, 3_000)]).toEqual([true, false]);
});

test("after the clock went back, an answer ends an outage, and earlier failures are forgotten", () => {
  const single = failing([a], 10_000);
  expect(single.succeeded(g, 5_000)).toBe(true);
  const busy = failing([a, a, a, a, a], 3_600_000);
  expect(busy.succeeded(g, 5_000)).toBe(true);
  expect(busy.state(5_000)).toEqual(CLOSED);
});

test("after the clock went back by an hour, failures still suspend", () => {
  const hour = 3_600_000;
  const breaker = createSlotBreaker();
  breaker.failed(a, hour, hour);
  breaker.succeeded(g, hour + 1);
  for (const key of [b, c, d, e, f]) breaker.failed(key, 10, 20);
  expect(breaker.admits(g, 20)).toBe(false);
});
