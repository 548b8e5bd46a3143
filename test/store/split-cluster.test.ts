import { Redis } from "ioredis";
import { beforeAll, describe, expect, inject, test } from "vitest";

import { startBridge } from "../../packages/redis-rest/src/bridge.ts";
import * as tidegate from "../../src/index.ts";
import { Faults } from "../../src/options/faults.ts";
import { openStore } from "../../src/store/open-store.ts";
import { usersOf } from "../chaos/cluster-users.ts";
import { compile } from "../support/compile-policy.ts";
import {
  createLimiter,
  type Decision,
  fixedWindow,
  type LimiterOptions,
  type Policy,
  segmentedWindow,
  slidingWindowCounter,
  slidingWindowLog,
  type StoreError,
  tokenBucket,
} from "../support/limiter/plain.ts";
import { ownCluster, TOKEN } from "../support/own-redis.ts";
import { random } from "../support/random.ts";
import { EVERY_PART } from "../support/store/every-part.ts";

/* One decision whose partitions lie on several masters of a real Redis Cluster. */

const own = ownCluster();
beforeAll(async () => {
  for (const url of own.cluster.urls) {
    const admin = new Redis(url, { disableClientInfo: true });
    await admin.config("SET", "cluster-require-full-coverage", "no");
    admin.disconnect();
  }
});

// A window of a day has no boundary within a test, but for one second of the day.
const window = "1d";

/** A limiter without a denial cache, whose decisions have a row for every policy. */
function limiterOn(url: string, policies: readonly Policy[], more: Partial<LimiterOptions> = {}) {
  return createLimiter({
    redis: { url, token: TOKEN },
    prefix: crypto.randomUUID(),
    policies,
    denialCache: false,
    timeout: "10s",
    ...more,
  });
}

const shown = ({ allowed, reason, policies, shadow }: Decision) => ({
  allowed,
  reason,
  rows: [...policies, ...(shadow ?? [])].map((row) => [row.name, row.allowed, row.remaining]),
});

test("a limiter without cluster() says that a Redis Cluster needs it, and one with it decides there", async () => {
  const policies = [
    fixedWindow({ name: "ip", by: "ip", limit: 100, window, onFailure: "closed" }),
    fixedWindow({ name: "key", by: "key", limit: 3, window, onFailure: "closed" }),
  ];
  const errors: string[] = [];
  const redis = { url: own.bridge.url, token: TOKEN };
  const options = {
    prefix: crypto.randomUUID(),
    policies,
    timeout: "10s",
    onStoreError: ({ code, message }: StoreError) => void errors.push(`${code} ${message}`),
  } as const;
  const identity = { ip: "192.0.2.1", key: "k" };
  const alone = tidegate.createLimiter({ ...options, redis });
  for (let i = 0; i < 6; i++) {
    const { allowed, status, reason } = await alone.limit(identity);
    expect({ allowed, status, reason }).toEqual({
      allowed: false,
      status: 503,
      reason: "store-unavailable",
    });
  }
  expect(errors).toEqual([
    expect.stringMatching(/^ERR_STORE_REFUSED .*CROSSSLOT: .*redis: cluster\(/),
  ]);
  errors.length = 0;
  const together = tidegate.createLimiter({ ...options, redis: tidegate.cluster(redis) });
  const allowed: boolean[] = [];
  for (let i = 0; i < 5; i++) allowed.push((await together.limit(identity)).allowed);
  expect(allowed).toEqual([true, true, true, false, false]);
  expect(errors).toEqual([]);
});

describe("a limiter with policies by address, key and for all clients", () => {
  /** By three dimensions, of each algorithm that gives back exactly, in every mode. */
  const policies = [
    slidingWindowLog({ name: "address", by: "ip", limit: 6, window }),
    fixedWindow({ name: "all", by: "*", limit: 60, window }),
    fixedWindow({ name: "ban", by: "ip", counts: "denials", limit: 8, window }),
    segmentedWindow({ name: "key", by: "key", limit: 9, window }),
    fixedWindow({ name: "shadow", by: "key", mode: "shadow", limit: 5, window }),
    slidingWindowCounter({ name: "soft", by: "*", mode: "soft", limit: 40, window }),
    slidingWindowLog({ name: "shadow-address", by: "ip", mode: "shadow", limit: 3, window }),
    fixedWindow({ name: "key-ban", by: "key", counts: "denials", limit: 10, window }),
  ];

  test("decides on a Cluster as on one Redis, row by row", { timeout: 60_000 }, async () => {
    const one = await startBridge({ redis: inject("redisUrl"), port: 0, token: TOKEN });
    try {
      const draw = random(11);
      const among = (names: readonly string[]) => names[Math.floor(draw() * names.length)]!;
      const limiters = [limiterOn(own.bridge.url, policies), limiterOn(one.url, policies)] as const;
      const outcomes = { allowed: 0, limited: 0 };
      for (let request = 0; request < 200; request++) {
        const identity = {
          ip: among(["ada", "bob", "cyd", "dan", "eve", "fay"]),
          key: draw() < 0.1 ? undefined : among(["k1", "k2", "k3", "k4"]),
        };
        const cost = {
          address: Math.floor(draw() * 3),
          key: Math.floor(draw() * 4),
          shadow: Math.floor(draw() * 3),
          all: Math.floor(draw() * 2),
        };
        const operation = draw() < 0.15 ? "peek" : "limit";
        const [here, there] = await Promise.all(
          limiters.map((limiter) => limiter[operation](identity, { cost })),
        );
        expect(shown(here!)).toEqual(shown(there!));
        outcomes[here!.allowed ? "allowed" : "limited"]++;
        if (draw() < 0.05) await Promise.all(limiters.map((limiter) => limiter.reset(identity)));
      }
      expect(outcomes.allowed).toBeGreaterThan(40);
      expect(outcomes.limited).toBeGreaterThan(40);
    } finally {
      await one.close();
    }
  });

  test("takes of a token bucket next to nothing when another policy denies", async () => {
    const limiter = limiterOn(own.bridge.url, [
      fixedWindow({ name: "address", by: "ip", limit: 1, window }),
      tokenBucket({ name: "all", by: "*", limit: 50, refill: 1, per: "1h" }),
    ]);
    await limiter.limit({ ip: "a" });
    for (let denial = 0; denial < 30; denial++) {
      expect(await limiter.limit({ ip: "a" }, { cost: { all: 40 } })).toMatchObject({
        allowed: false,
        reason: "limited",
      });
    }
    const { policies: rows } = await limiter.peek({ ip: "b" });
    // A bucket gives back units that have not refilled meanwhile: a unit in 3,600 s, and thirty denials in a few.
    expect(rows[1]!.remaining).toBeGreaterThanOrEqual(48);
  });
});

test("that the first call finds a Cluster is no failure", async () => {
  const errors: StoreError[] = [];
  const policies = compile(
    (["a", "b", "c"] as const).map((name) => fixedWindow({ name, limit: 5, window })),
  );
  const id = crypto.randomUUID();
  const keys = policies.map(({ name }) => `tg:{${id}-${name}}:${name}`);
  const store = openStore(
    {
      redis: { url: own.bridge.url, token: TOKEN },
      timeout: "10s",
      onStoreError: (error) => errors.push(error),
    },
    EVERY_PART,
    {},
    new Faults(),
  )!;
  const commands: number[] = [];
  for (let request = 0; request < 10; request++) {
    const before = own.bridge.commands;
    const { rows } = await store.decide("consume", keys, [1, 1, 1], policies);
    expect(rows.map(({ remaining }) => remaining)).toEqual(Array(3).fill(Math.max(0, 4 - request)));
    commands.push(own.bridge.commands - before);
  }
  // The call that is refused, one for each master, and the answers of each before it has the script and has said which first line
  // it takes: other tests may have given it the script.
  expect(commands[0]).toBeLessThanOrEqual(1 + 3 + 3 * 3);
  expect(commands.slice(1)).toEqual(Array(9).fill(3));
  expect(errors).toEqual([]);
  expect(await store.inspect!()).toMatchObject({ breaker: "closed" });
  expect(await store.spansPartitions!("tg")).toBe(false);
});

test("units taken on several masters are given back there, by the clock of each", async () => {
  const policies = compile([
    ...(["a", "b", "c"] as const).map((name) => slidingWindowLog({ name, limit: 9, window })),
    fixedWindow({ name: "second", limit: 9, window }),
  ]);
  const id = crypto.randomUUID();
  // The last one in the partition of the first.
  const keys = ["a", "b", "c", "a"].map(
    (partition, i) => `tg:{${id}-${partition}}:${policies[i]!.name}`,
  );
  const redis = { url: own.bridge.url, token: TOKEN };
  const store = openStore({ redis, timeout: "10s" }, EVERY_PART, {}, new Faults())!;
  const reply = await store.decide("consume", keys, [5, 6, 7, 8], policies);
  expect(await store.refund!(keys, [5, 2, 0, 3], policies, reply)).toEqual([5, 2, 0, 3]);
  const { rows } = await store.decide("peek", keys, [1, 1, 1, 1], policies);
  expect(rows.map(({ remaining }) => remaining)).toEqual([9, 5, 2, 4]);
});

// The last test: a master is gone afterwards.
test("without one master, policies on the others are exact", { timeout: 60_000 }, async () => {
  const node = new Redis(own.cluster.urls[0]!, { disableClientInfo: true });
  const [onDead, ...alive] = await Promise.all(
    ([1, 2] as const).map((master) => usersOf(master, 40, node)),
  );
  const [onLive] = alive;
  node.disconnect();
  const errors: StoreError[] = [];
  const policies = [
    fixedWindow({ name: "key", by: "key", limit: 5, window, onFailure: "open" }),
    slidingWindowLog({ name: "address", by: "ip", limit: 5, window }),
    // Its partition is on the first master.
    fixedWindow({ name: "all", by: "*", limit: 60, window }),
  ];
  const limiter = limiterOn(own.bridge.url, policies, {
    timeout: "1s",
    onStoreError: (error) => errors.push(error),
  });
  await own.cluster.nodes[1]!.stop();
  // The first call of this limiter has the key of the dead master in front, and its remaining units depend on the client.
  const first = await limiter.limit({ key: onDead![0]!, ip: onLive![0]! });
  expect(first.reason).toBe("store-unavailable");
  let left = (await limiter.peek({ ip: onLive![0]! })).policies[1]!.remaining;
  for (let i = 1; i < 9; i++) {
    const decisions = [];
    for (let request = 0; request < 7; request++) {
      decisions.push(await limiter.limit({ key: onDead![i]!, ip: onLive![i]! }));
    }
    const admitted = decisions.filter(({ allowed }) => allowed).length;
    expect(decisions.every(({ error }) => error)).toBe(true);
    expect(admitted).toBe(5);
    left -= admitted;
    const [, address, everybody] = decisions.at(-1)!.policies;
    expect(address).toMatchObject({ allowed: false, remaining: 0 });
    expect(everybody).toMatchObject({ allowed: true, remaining: left });
  }
  expect(errors).toHaveLength(1);
});
