import { expect, test } from "vitest";

import { quota } from "../support/gateway/gateway.ts";
import { meteredGateways } from "../support/metrics/metered-gateway.ts";
import { metricsReaderOf } from "../support/metrics/metrics-reader-of.ts";
import { ownRedis, TOKEN } from "../support/own-redis.ts";

/* `tidegate_redis_commands_total`, by the commands that a real server counts. */

const own = ownRedis();

const RULES = [
  { method: "GET", path: "/one", policies: [quota("one", 3)] },
  {
    path: "/three",
    policies: [
      { algorithm: "token-bucket", name: "bucket", limit: 9, refill: 1, per: "30d" },
      { algorithm: "sliding-window-log", name: "log", limit: 9, window: "1d" },
      { algorithm: "segmented-window", name: "shadow", limit: 1, window: "1d", mode: "shadow" },
    ],
  },
];

/** Of the bridge, and of this test. */
const OTHERS = ["ping", "hello", "client|setinfo", "info", "config|resetstat"];

test("each command that Redis bills is counted: of decisions, live rules and flushes", async () => {
  const { redis } = own;
  const gateways = await meteredGateways(RULES, {
    UPSTASH_REDIS_REST_URL: own.bridge.url,
    UPSTASH_REDIS_REST_TOKEN: TOKEN,
    LIVE_REFRESH: "10s",
  });
  const { ask, flush, idle } = gateways.open();
  await redis.config("RESETSTAT");
  // The last of each find no room: of `one` the isolate knows it without Redis.
  for (let i = 0; i < 6; i++) await ask("/one");
  for (let i = 0; i < 10; i++) await ask("/three");
  await ask("/other");
  // The first request asks in the background whether the Redis keeps its data.
  await idle();
  await flush();
  const stats = await redis.info("commandstats");
  const calls = Array.from(stats.matchAll(/cmdstat_([^:]+):calls=(\d+)/g), ([, name, times]) =>
    OTHERS.includes(name!) ? 0 : Number(times),
  );
  // A flush counts itself with the next one.
  await flush();
  const reader = metricsReaderOf({ url: own.bridge.url, token: TOKEN }, gateways.prefix);
  const { commands } = await reader.total();
  // The gateway asks once, with INFO, whether a restart loses the live rules.
  const info = 1;
  expect(commands).toBe(calls.reduce((sum, each) => sum + each, info));
  // Three allowed and one denied by one policy, nine and one by three with a log; each script once as a text.
  expect(commands).toBeGreaterThan(3 * 4 + 3 + 9 * 7 + 4 + 2);
});
