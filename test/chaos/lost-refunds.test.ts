import { setTimeout as sleep } from "node:timers/promises";

import { expect, test } from "vitest";

import { startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { startRedisServer } from "../../scripts/support/redis-server.ts";
import {
  type Decision,
  fixedWindow,
  segmentedWindow,
  shadow,
  slidingWindowLog,
  tokenBucket,
} from "../../src/index.ts";
import { type Fault, none, resetBefore, startFaultProxy } from "../support/fault-proxy.ts";
import { random } from "../support/random.ts";
import { startRedisCluster } from "../support/redis-cluster.ts";
import { runs, some } from "../support/runs.ts";
import { type Admitted, mostAboveRefill, mostInAnyWindow, mostInOneWindow } from "./admissions.ts";
import { givesBack, isolateOn, nowMs } from "./give-backs.ts";

const TOKEN = "token";

/** Enough to cross several windows; a longer run takes more. */
const CALLS = runs(300);

const IPS = Array.from({ length: 8 }, (_, i) => `ip-${i}`);
const KEYS = Array.from({ length: 4 }, (_, i) => `key-${i}`);

const POLICIES = [
  slidingWindowLog({ name: "log", by: "ip", limit: 10, window: "2s" }),
  tokenBucket({ name: "bucket", by: "ip", limit: 6, refill: 6, per: "1s" }),
  segmentedWindow({ name: "key", by: "key", limit: 15, window: "2s" }),
  shadow(fixedWindow({ name: "shadow", by: "key", limit: 10, window: "2s" })),
  fixedWindow({ name: "all", by: "*", limit: 30, window: "1s" }),
];

/** One call: its client, cost, time and result. */
interface Call {
  readonly ip: string;
  readonly key: string;
  readonly cost: number;
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
  readonly decision: Decision;
}

/** The client gives up, and its request arrives later. */
function late(ms: number): Fault {
  return async ({ forward, reset }) => {
    reset();
    await sleep(ms);
    await forward();
  };
}

/** A tenth of the give-backs is lost, and a tenth arrives after all callers have stopped waiting. */
function roulette(seed: number) {
  const draw = random(seed);
  const counts = { lost: 0, late: 0, all: 0 };
  const fault: Fault = (exchange) => {
    if (!givesBack(exchange.body)) return none(exchange);
    counts.all++;
    const drawn = draw();
    if (drawn >= 0.2) return none(exchange);
    counts[drawn < 0.1 ? "lost" : "late"]++;
    return drawn < 0.1 ? resetBefore(exchange) : late(3_000 * draw())(exchange);
  };
  return { counts, fault };
}

async function startStore(masters: number) {
  if (masters > 1) {
    const cluster = await startRedisCluster({ masters });
    const redis = cluster.urls.join(",");
    return {
      bridge: await startBridge({ redis, port: 0, token: TOKEN, cluster: true }),
      redis: cluster,
    };
  }
  const redis = await startRedisServer();
  return { bridge: await startBridge({ redis: redis.url, port: 0, token: TOKEN }), redis };
}

const STORES = [
  { store: "a Redis Cluster of three masters", masters: 3 },
  { store: "one Redis", masters: 1 },
];

test.for(some(STORES))(
  "many clients and isolates on $store, a tenth of the give-backs lost and a tenth late: never above any limit, and no wrong denial",
  { timeout: 60_000 + CALLS * 200 },
  async ({ masters }) => {
    const { bridge, redis } = await startStore(masters);
    const proxy = await startFaultProxy(bridge.url);
    try {
      const { fault, counts } = roulette(5);
      proxy.fault = fault;
      const settings = { token: TOKEN, policies: POLICIES };
      const isolates = Array.from({ length: 3 }, () => isolateOn(proxy.url, settings));
      const own = isolateOn(bridge.url, settings);
      const calls: Call[] = [];
      const wrong: unknown[] = [];
      const untilMs = nowMs() + 5_000;
      const client = async (number: number) => {
        const draw = random(100 + number);
        const among = (names: readonly string[]) => names[Math.floor(draw() * names.length)]!;
        while (calls.length < CALLS || nowMs() < untilMs) {
          const ip = among(IPS);
          const key = among(KEYS);
          const cost = draw() < 0.7 ? 1 : 3;
          const sentAtMs = nowMs();
          const decision = await isolates[number % 3]!.limit({ ip, key }, { cost });
          const call = { ip, key, cost, sentAtMs, receivedAtMs: nowMs(), decision };
          calls.push(call);
          if (decision.reason === "cached-denial") {
            const peeked = await own.peek({ ip, key }, { cost });
            const overMs = call.receivedAtMs + decision.retryAfterMs;
            // Unless its time was over while this one was asked.
            if (
              peeked.allowed &&
              peeked.reason === "allowed" &&
              nowMs() < overMs &&
              isExact(call)
            ) {
              wrong.push(call);
            }
          }
          await sleep(draw() * 20);
        }
      };
      await Promise.all(Array.from({ length: 16 }, (_, number) => client(number)));
      await proxy.settled();

      expect(wrong).toEqual([]);
      const admitted = calls.filter(({ decision }) => decision.allowed);
      const cached = calls.filter(({ decision }) => decision.reason === "cached-denial").length;
      for (const ip of IPS) {
        const units = unitsOf(admitted.filter((call) => call.ip === ip));
        expect(mostInAnyWindow(units, 2_000)).toBeLessThanOrEqual(10);
        expect(mostAboveRefill(units, 6 / 1_000)).toBeLessThanOrEqual(6);
      }
      for (const key of KEYS) {
        const units = unitsOf(admitted.filter((call) => call.key === key));
        expect(mostInAnyWindow(units, 2_000)).toBeLessThanOrEqual(15);
      }
      expect(mostInOneWindow(unitsOf(admitted), 1_000)).toBeLessThanOrEqual(30);
      // Enough of everything that can go wrong.
      expect(admitted.length).toBeGreaterThan(CALLS / 20);
      expect(calls.length - admitted.length).toBeGreaterThan(CALLS / 4);
      if (masters > 1) {
        expect(Math.min(counts.lost, counts.late)).toBeGreaterThan(CALLS / 100);
        // A give-back could lift them.
        expect(cached).toBe(0);
      } else {
        expect(counts.all).toBe(0);
        expect(cached).toBeGreaterThan(CALLS / 4);
      }
    } finally {
      await proxy.stop();
      await bridge.close();
      await redis.stop();
    }
  },
);

/**
 * Whether the wait is not only an upper bound: a known denial of one unit does not tell when a window has room for
 * three, and answers with the time at which the whole window is free.
 */
function isExact({ cost, decision }: Call): boolean {
  return (
    cost === 1 ||
    decision.policies.every(({ retryAfterMs, resetAfterMs }) => retryAfterMs < (resetAfterMs ?? 0))
  );
}

function unitsOf(calls: readonly Call[]): Admitted[] {
  return calls.map(({ sentAtMs, receivedAtMs, cost }) => ({ sentAtMs, receivedAtMs, units: cost }));
}
