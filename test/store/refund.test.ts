import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { type RedisServer, startRedisServer } from "../../scripts/support/redis-server.ts";
import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { DECIDE } from "../../src/algorithms/scripts.generated.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import { type Bridge, startBridge } from "../../src/node/bridge/bridge.ts";
import { Faults } from "../../src/options/faults.ts";
import { guardStore } from "../../src/store/guarded-store.ts";
import { memoryStore } from "../../src/store/memory-store.ts";
import { openStore } from "../../src/store/open-store.ts";
import { HOLDS } from "../../src/store/redis/holds.ts";
import { restClient } from "../../src/store/redis/rest.ts";
import { redisStore } from "../../src/store/redis/store.ts";
import type { Store } from "../../src/store/store.ts";
import { compile } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { type RedisCluster, startRedisCluster } from "../support/redis-cluster.ts";
import { EVERY_PART } from "../support/store/every-part.ts";

// A window of a day has no boundary within a test, but for one second of the day.
const policies = compile(everyPolicy(50, "1d"));

/** Of 50 units, 10 are taken, and as many come back as the policy's place says. A bucket refills less than a unit meanwhile. */
const GIVEN_BACK = policies.map((_policy, i) => 40 + i);

async function takeAndGiveBack(store: Store, costs = policies.map((_policy, i) => i)) {
  const id = crypto.randomUUID();
  const keys = policies.map(({ key }) => `tg:{${id}}:${key}`);
  const all = (units: number) => policies.map(() => units);
  const reply = await store.decide("consume", keys, all(10), policies);
  await store.refund!(keys, costs, policies, reply);
  const { rows } = await store.decide("peek", keys, all(1), policies);
  return rows.map(({ remaining }) => remaining);
}

describe.each([{ emulate: undefined }, { emulate: "upstash" as const }])(
  "one server, emulating $emulate",
  ({ emulate }) => {
    let server: RedisServer;
    let bridge: Bridge;
    let store: Store;
    beforeAll(async () => {
      server = await startRedisServer();
      const own = { redis: server.url, port: 0, token: "t" };
      bridge = await startBridge(emulate ? { ...own, emulate } : own);
      store = redisStore(restClient({ url: bridge.url, token: "t" }, 5_000), {
        holds: HOLDS,
        decide: DECIDE,
      });
    });
    afterAll(async () => {
      await bridge.close();
      await server.stop();
    });

    test("gives each policy back its taken units", async () => {
      expect(await takeAndGiveBack(store)).toEqual(GIVEN_BACK);
      const [all, whole] = [10, 50].map((units) => policies.map(() => units));
      expect(await takeAndGiveBack(store, all)).toEqual(whole);
    });

    test("gives back where the server has lost the script", async () => {
      const redis = new Redis(server.url);
      await redis.script("FLUSH");
      await redis.quit();
      expect(await takeAndGiveBack(store)).toEqual(GIVEN_BACK);
    });
  },
);

describe("a cluster of three masters", () => {
  let cluster: RedisCluster;
  let bridge: Bridge;
  beforeAll(async () => {
    cluster = await startRedisCluster({ masters: 3 });
    const urls = cluster.urls.join(",");
    bridge = await startBridge({ redis: urls, port: 0, token: "t", cluster: true });
  });
  afterAll(async () => {
    await bridge?.close();
    await cluster?.stop();
  });

  test("gives back on whichever master has taken", async () => {
    const client = restClient({ url: bridge.url, token: "t" }, 5_000);
    const store = redisStore(client, { decide: DECIDE, holds: HOLDS });
    for (let partition = 0; partition < 12; partition++) {
      expect(await takeAndGiveBack(store)).toEqual(GIVEN_BACK);
    }
  });
});

const daily = compile([fixedWindow({ limit: 9, window: "1d" })]);

/** A store whose client answers like this, and how often it was asked. */
function storeThat(answer: () => unknown) {
  const calls: string[] = [];
  const asked = async (_script: string, _keys: string[], args: string[]) => {
    calls.push(args.join(" "));
    return answer();
  };
  return {
    calls,
    store: redisStore({ evalsha: asked, eval: asked }, { decide: DECIDE, holds: HOLDS }),
  };
}

test("a refund is one call, with the arguments that the script's head names", async () => {
  const { calls, store } = storeThat(() => [5, 3]);
  await expect(store.refund!(["k"], [3], daily, { nowUs: 1_234 })).resolves.toEqual([3]);
  expect(calls).toEqual([`1234 3 ${daily[0]!.scriptArguments.join(" ")}`]);
});

test("a token bucket gives back time, of which whole units are told", async () => {
  const bucket = tokenBucket({ name: "bucket", limit: 9, refill: 7, per: "1s" });
  const both = compile([bucket, fixedWindow({ limit: 9, window: "1d" })]);
  const { intervalUs } = both[0]!.parameters;
  for (const [given, units] of [
    [0, 0],
    [intervalUs! - 1, 0],
    [intervalUs!, 1],
    [3 * intervalUs! - 1, 2],
  ] as const) {
    const { store } = storeThat(() => [5, given, 4]);
    expect(await store.refund!(["k", "l"], [3, 4], both, { nowUs: 1 })).toEqual([units, 4]);
  }
});

test.for([null, [], [5], [5, 3, 3], [5, "3"], [5, 0.5]])(
  "an answer that is not the script's gives nothing back for sure: %j",
  async (answer) => {
    const { store } = storeThat(() => answer);
    const failed = { name: "StoreError", code: "ERR_STORE_REPLY" };
    await expect(store.refund!(["k"], [3], daily, { nowUs: 0 })).rejects.toMatchObject(failed);
  },
);

test("a refund that has failed is not sent again: it may have run", async () => {
  const { calls, store } = storeThat(() => {
    throw new Error("ERR something else");
  });
  const failed = { name: "StoreError", code: "ERR_STORE_REFUSED" };
  await expect(store.refund!(["k"], [3], daily, { nowUs: 0 })).rejects.toMatchObject(failed);
  expect(calls).toHaveLength(1);
});

test("a guarded store gives back within its timeout, if its store gives back at all", async () => {
  const options = { timeoutMs: 5, now: () => 0, onStoreError: () => {} };
  const { calls, store } = storeThat(() => [5, 3]);
  expect(await guardStore(store, options).refund!(["k"], [3], daily, { nowUs: 1 })).toEqual([3]);
  expect(calls).toHaveLength(1);
  const { store: silent } = storeThat(() => new Promise(() => {}));
  const refund = guardStore(silent, options).refund!(["k"], [3], daily, { nowUs: 1 });
  await expect(refund).rejects.toMatchObject({ code: "ERR_STORE_TIMEOUT" });
  const { refund: _refund, ...without } = memoryStore();
  expect(guardStore(without, options)).not.toHaveProperty("refund");
});

test("a limiter's store gives back, and one without the script does not", () => {
  const client = { evalsha: async () => [], eval: async () => [] };
  expect(openStore({ redis: client }, EVERY_PART, {}, new Faults())?.refund).toBeTypeOf("function");
  expect(redisStore(client)).not.toHaveProperty("refund");
});
