import { setTimeout as sleep } from "node:timers/promises";

import { Redis } from "ioredis";
import { expect, test } from "vitest";

import { startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { cluster as inCluster, createLimiter, fixedWindow, StoreError } from "../../src/index.ts";
import { figures } from "../support/chaos/figures.ts";
import { random } from "../support/random.ts";
import { startRedisCluster } from "../support/redis-cluster.ts";
import { some } from "../support/runs.ts";
import { type Master, startCrowd, usersOf } from "./cluster-users.ts";

const TOKEN = "token";

/** Calls of the crowd. A third of them goes to the dead master. */
const PER_SECOND = 200;

const CASES: readonly { dead: Master; timeout: "2s" | "1s"; hangs: boolean }[] = [
  { dead: 0, timeout: "2s", hangs: false },
  { dead: 1, timeout: "2s", hangs: false },
  { dead: 1, timeout: "1s", hangs: true },
];

// Each has a cluster of its own, and mostly waits.
test.concurrent.for(some(CASES))(
  "one of three masters is gone for good ($dead, hangs: $hangs): decisions about the others' keys still come from Redis",
  { timeout: 60_000 },
  async ({ dead, timeout, hangs }) => {
    const cluster = await startRedisCluster({ masters: 3 });
    const alive = new Redis(cluster.urls[dead === 0 ? 2 : 0]!, { disableClientInfo: true });
    const bridge = await startBridge({
      redis: cluster.urls.join(","),
      port: 0,
      token: TOKEN,
      cluster: true,
    });
    try {
      for (const url of cluster.urls) {
        const admin = new Redis(url, { disableClientInfo: true });
        await admin.config("SET", "cluster-require-full-coverage", "no");
        admin.disconnect();
      }
      const errors: StoreError[] = [];
      const limiter = createLimiter({
        redis: inCluster({ url: bridge.url, token: TOKEN }),
        policies: [fixedWindow({ limit: 1_000_000_000, window: "366d" })],
        onFailure: "closed",
        timeout,
        onStoreError: (error) => errors.push(error),
      });
      // One limiter for all, and many identities on every master.
      const owned = await Promise.all(([0, 1, 2] as const).map((on) => usersOf(on, 700, alive)));
      const everybody = owned.flat();
      const chance = random(7);
      const anybody = () => everybody[Math.floor(everybody.length * chance())]!;
      const crowd = startCrowd(limiter, anybody, PER_SECOND);
      await sleep(1_000);
      expect(errors).toEqual([]);

      const before = crowd.calls.length;
      const node = cluster.nodes[dead]!;
      if (hangs) node.kill("SIGSTOP");
      else await node.stop();
      await sleep(8_000);
      await crowd.stop();
      if (hangs) node.kill("SIGCONT");

      const during = crowd.calls.slice(before);
      const gone = new Set(owned[dead]);
      const others = during.filter(({ user }) => !gone.has(user));
      const own = during.filter(({ user }) => gone.has(user));
      const fromRedis = others.filter(({ decision }) => decision.reason === "allowed");
      expect(others.length).toBeGreaterThan(200);
      expect(fromRedis.length / others.length).toBeGreaterThanOrEqual(0.99);
      // Each of 86 groups of slots once or, before one has failed three times, twice; the calls under way before the first
      // failure is known, which takes a timeout if the master hangs, and twice that on a busy machine; and the probes.
      const waited = own.filter(
        ({ decision: { error } }) => error && error.code !== "ERR_STORE_SUSPENDED",
      );
      expect(waited.length).toBeLessThanOrEqual(2 * 86 + (hangs ? (2 * PER_SECOND) / 3 : 10) + 10);
      // One outage, if most of the cluster answers or not; a stall of this machine may begin another.
      expect(errors.length).toBeGreaterThanOrEqual(1);
      expect(errors.length).toBeLessThanOrEqual(2);
      figures(
        `master ${dead} of three ${hangs ? "hangs" : "killed"}, no replica, one limiter for all`,
        {
          "calls to other masters": others.length,
          "of them from Redis": fromRedis.length,
          "calls to the dead one": own.length,
          "of them waited for it": waited.length,
        },
      );
    } finally {
      alive.disconnect();
      await bridge.close();
      await cluster.stop();
    }
  },
);
