import { setTimeout as sleep } from "node:timers/promises";

import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";

import { type Bridge, startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { type RedisCluster, startRedisCluster } from "../support/redis-cluster.ts";
import { LIMIT } from "./subject.ts";
import { SUBJECTS } from "./subjects.ts";

let cluster: RedisCluster;
let bridge: Bridge;
beforeAll(async () => {
  cluster = await startRedisCluster({ masters: 3 });
  bridge = await startBridge({
    redis: cluster.urls.join(","),
    port: 0,
    token: "token",
    cluster: true,
  });
});
afterAll(async () => {
  await bridge.close();
  await cluster.stop();
});

test.for(SUBJECTS)(
  "$name: scripts flushed on all nodes under load fail no request",
  async ({ start }) => {
    const subject = await start({ url: bridge.url, token: "token", timeout: "5000ms" });
    const nodes = cluster.urls.map((url) => new Redis(url, { disableClientInfo: true }));
    // A dozen is enough to have some on every master.
    const users = Array.from({ length: 12 }, () => crypto.randomUUID());
    try {
      const loads = Promise.all(
        users.map(async (user) => {
          for (let left = LIMIT - 1; left >= 0; left--) {
            const { reason, remaining } = await subject.ask("closed", user);
            expect({ reason, remaining }).toEqual({ reason: "allowed", remaining: left });
            await sleep(10);
          }
        }),
      );
      const flushing = async () => {
        for (let flushes = 0; flushes < 5; flushes++) {
          await sleep(30);
          await Promise.all(nodes.map((node) => node.script("FLUSH")));
        }
      };
      await Promise.all([loads, flushing()]);
    } finally {
      for (const node of nodes) node.disconnect();
      await subject.stop();
    }
  },
);
