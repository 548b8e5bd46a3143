import { Ratelimit } from "@upstash/ratelimit";
import { Redis } from "@upstash/redis";

import { type Bridge, startBridge } from "../../../packages/redis-rest/src/bridge.ts";
import { createLimiter, tokenBucket } from "../../../src/index.ts";
import { compare, interleave } from "../compare.ts";
import { atMost, type Figure, type Part } from "../figure.ts";
import { type BenchRedis, openRedis } from "../redis/server.ts";
import { openDistance } from "./distant.ts";

/** From the same rack to another continent. */
const ROUND_TRIPS_MS = [0, 5, 30, 130];

interface Sample {
  readonly calls: number;
  readonly ms: number;
}

/** Makes a limiter as a new isolate does, and decides once. Resolves with whether Redis decided. */
type FirstDecision = (url: string) => Promise<boolean>;

const TOKEN = "local";

/** Tidegate with the default timeout; the address is not Upstash's own here, so the dialect is said. */
const tidegate =
  (dialect: "redis" | "upstash"): FirstDecision =>
  async (url) => {
    const limiter = createLimiter({
      redis: { url, token: TOKEN },
      dialect,
      policies: [tokenBucket({ name: crypto.randomUUID(), limit: 10, refill: 10, per: "1h" })],
      onStoreError: () => {},
    });
    return (await limiter.limit(crypto.randomUUID())).reason === "allowed";
  };

const upstash: FirstDecision = async (url) => {
  const limiter = new Ratelimit({
    redis: new Redis({ url, token: TOKEN, enableTelemetry: false }),
    limiter: Ratelimit.tokenBucket(10, "1 h", 10),
  });
  return (await limiter.limit(crypto.randomUUID())).reason === undefined;
};

/** The first decision of an isolate, by its distance from Redis, connection included. */
export const coldPart: Part = async ({ short, tell }) => {
  const server = await openRedis();
  const options = { redis: server.url, port: 0, token: TOKEN };
  const stock = await startBridge(options);
  const emulation = await startBridge({ ...options, emulate: "upstash" });
  try {
    const figures: Figure[] = [];
    const whole = 2 * ROUND_TRIPS_MS.length;
    let done = 0;
    for (const isLoaded of [true, false]) {
      for (const roundTripMs of ROUND_TRIPS_MS) {
        tell(`${roundTripMs} ms from Redis`, done++ / whole);
        const measure = (decide: FirstDecision, bridge: Bridge) => () =>
          firstDecision(decide, { server, bridge, roundTripMs, isLoaded });
        const [plain, ours, theirs] = (await interleave(
          [
            measure(tidegate("redis"), stock),
            measure(tidegate("upstash"), emulation),
            measure(upstash, emulation),
          ],
          short ? 1 : 9,
        )) as [Sample[], Sample[], Sample[]];
        const name = `first decision, ${roundTripMs} ms from Redis, script ${isLoaded ? "loaded" : "not loaded"}`;
        const times = (samples: readonly Sample[]) => samples.map(({ ms }) => ms);
        const calls = (samples: readonly Sample[]) => samples.map((sample) => sample.calls);
        const peer = "@upstash/ratelimit";
        figures.push(
          {
            name: `${name}: calls`,
            unit: "calls",
            ...compare(calls(ours), peer, calls(theirs)),
            target: atMost(isLoaded ? 1 : 2, "tidegate"),
          },
          { name: `${name}: time`, unit: "ms", ...compare(times(ours), peer, times(theirs)) },
          {
            name: `${name}, stock Redis: calls`,
            unit: "calls",
            tidegate: Math.max(...calls(plain)),
            target: atMost(isLoaded ? 1 : 2, "tidegate"),
            detail: true,
          },
        );
      }
    }
    return figures;
  } finally {
    await Promise.all([stock.close(), emulation.close()]);
    await server.close();
  }
};

async function firstDecision(
  decide: FirstDecision,
  at: {
    readonly server: BenchRedis;
    readonly bridge: Bridge;
    readonly roundTripMs: number;
    readonly isLoaded: boolean;
  },
): Promise<Sample> {
  const { server, bridge, roundTripMs, isLoaded } = at;
  await server.redis.script("FLUSH");
  if (isLoaded) await decide(bridge.url);
  // Of its own, so that no connection is there yet.
  const distance = await openDistance(bridge.url, roundTripMs);
  try {
    const before = bridge.requests;
    const start = performance.now();
    const isDecided = await decide(distance.url);
    const ms = performance.now() - start;
    if (!isDecided) throw new Error(`Redis did not decide, ${roundTripMs} ms away`);
    return { calls: bridge.requests - before, ms };
  } finally {
    await distance.close();
  }
}
