import { setTimeout as pause } from "node:timers/promises";

import { Redis } from "ioredis";
import { describe, expect, inject, test } from "vitest";

import type { CountingAlgorithm } from "../../src/policy/policy.ts";
import { createLimiter, tokenBucket } from "../support/limiter/plain.ts";
import { ownCluster, TOKEN } from "../support/own-redis.ts";
import { IS_WHOLE, some } from "../support/runs.ts";
import { everyone } from "./flood.ts";

/*
 * Clients that do not wait, over HTTP: test/lease/flood.test.ts shows the same by a virtual clock for each algorithm and client,
 * here with real time on the way to a real Redis, and to a Cluster whose masters undo the units that one of them took.
 */

const LIMIT = 400;
const own = ownCluster();

/** The units that clients that do not wait were admitted in some seconds of Redis's clock. */
async function admittedOf(
  algorithm: CountingAlgorithm,
  redis: { url: string; token: string },
  at: string,
) {
  const clock = new Redis(at);
  const nowUs = async () => {
    const [seconds, micros] = await clock.time();
    return Number(seconds) * 1e6 + Number(micros);
  };
  const limiter = createLimiter({
    redis,
    prefix: crypto.randomUUID(),
    timeout: "10s",
    denialCache: false,
    policies: [
      { ...everyone(algorithm, "everyone", LIMIT), lease: "50ms" },
      tokenBucket({ name: "address", by: "ip", limit: 1e6, refill: 1e6, per: "1s" }),
    ],
  });
  // The leases learn from the first second, and it uses up a bucket's burst.
  await limiter.limit({ ip: "first" });
  let [admitted, asked, client] = [0, 0, 0];
  const phase = { isCounted: false, isOver: false };
  const come = async () => {
    while (!phase.isOver) {
      const { allowed } = await limiter.limit({ ip: `ip-${client++ % 50}` });
      if (phase.isCounted) asked++;
      if (phase.isCounted && allowed) admitted++;
      await pause(5);
    }
  };
  const clients = Array.from({ length: 12 }, come);
  await pause(IS_WHOLE ? 1_500 : 700);
  phase.isCounted = true;
  const startUs = await nowUs();
  await pause(IS_WHOLE ? 3_000 : 1_300);
  const seconds = ((await nowUs()) - startUs) / 1e6;
  Object.assign(phase, { isCounted: false, isOver: true });
  await Promise.all(clients);
  clock.disconnect();
  return { admitted, asked, seconds, admissible: Math.min(asked, LIMIT * seconds) };
}

describe.each(["one Redis", "a Cluster"] as const)("on %s", (topology) => {
  test.for(some(["token-bucket", "fixed-window", "segmented-window"] as const))(
    "a leased %s stays usable under a flood",
    { timeout: 60_000 },
    async (algorithm) => {
      const one = { url: inject("redisRestUrl"), token: inject("redisRestToken") };
      const { admitted, asked, admissible, seconds } = await (topology === "one Redis"
        ? admittedOf(algorithm, one, inject("redisUrl"))
        : admittedOf(algorithm, { url: own.bridge.url, token: TOKEN }, own.cluster.urls[0]!));
      // A lease expires unspent while the machine stands still: half is left for that. The mistake that this is about left a
      // tenth, because each lease was larger than the one before.
      expect(admitted).toBeGreaterThan(0.4 * admissible);
      expect(admitted).toBeLessThanOrEqual(LIMIT * (seconds + 1.1));
      expect(asked).toBeGreaterThan(0);
    },
  );
});
