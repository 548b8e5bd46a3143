import { setTimeout as sleep } from "node:timers/promises";

import { expect, onTestFinished, test } from "vitest";

import { startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { startLocalStack } from "../../scripts/local-stack/local-stack.ts";
import { startRedisServer } from "../../scripts/support/redis-server.ts";
import { delay, none, startFaultProxy } from "../support/fault-proxy.ts";

test("requests that have stopped waiting for another one leave no warning in the log", async () => {
  // With snapshots: without them the gateway warns that a restart loses live rules.
  const server = await startRedisServer({ args: ["--save", "3600 1"] });
  const bridge = await startBridge({ redis: server.url, port: 0, token: "t" });
  const proxy = await startFaultProxy(bridge.url);
  const log: string[] = [];
  const stack = await startLocalStack({
    redisUrl: server.url,
    token: "t",
    variables: {
      RULES: [
        {
          path: "/*",
          partition: ["header:x-user-id"],
          policies: [{ algorithm: "token-bucket", limit: 1, refill: 2, per: "1s" }],
        },
      ],
      TIMEOUT: "2s",
      UPSTASH_REDIS_REST_URL: proxy.url,
    },
    onLog: ({ message }) => void log.push(message),
  });
  onTestFinished(async () => {
    await stack.stop();
    await proxy.stop();
    await bridge.close();
    await server.stop();
  });
  const ask = async () => {
    const { status } = await fetch(stack.workers[0]!, { headers: { "x-user-id": "ada" } });
    return status;
  };

  // The denial is known for half a second. Then one request asks Redis, and the others wait for it.
  expect(await Promise.all([ask(), ask()])).toEqual([200, 429]);
  await sleep(600);
  const asked = proxy.received.length;
  proxy.fault = delay(800);
  const first = ask();
  await expect.poll(() => proxy.received.length).toBe(asked + 1);
  proxy.fault = none;
  // They wait for 150 ms, ask for themselves, and are gone when the first one is answered.
  const others = await Promise.all(Array.from({ length: 4 }, ask));
  expect(others.filter((status) => status === 200)).toHaveLength(1);
  await first;
  expect(log).toEqual([]);
});
