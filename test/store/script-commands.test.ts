import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";

import { type RedisServer, startRedisServer } from "../../scripts/support/redis-server.ts";
import { concurrency, fixedWindow } from "../../src/index.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { mayDeny } from "../../src/store/decide-together.ts";
import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import { countedRedis } from "../../src/store/redis/counted-redis.ts";
import { redisStore } from "../../src/store/redis/store.ts";
import { compile } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { random } from "../support/random.ts";
import { runs } from "../support/runs.ts";

/* What the gateway counts of a store's calls, by what a real server counts. */

// A server of its own: other tests would show in its statistics.
let server: RedisServer;
let redis: Redis;
beforeAll(async () => {
  server = await startRedisServer();
  redis = new Redis(server.url, { disableClientInfo: true });
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

/** The commands that the server ran, without those of this function. */
async function ran(): Promise<number> {
  const stats = await redis.info("commandstats");
  await redis.config("RESETSTAT");
  const calls = Array.from(stats.matchAll(/cmdstat_([^:]+):calls=(\d+)/g), ([, name, times]) =>
    ["info", "config|resetstat", "ping"].includes(name!) ? 0 : Number(times),
  );
  return calls.reduce((sum, each) => sum + each, 0);
}

/** A store whose commands are counted. */
function countedStore() {
  let commands = 0;
  const counted = countedRedis((count) => void (commands += count));
  const client = counted.client({
    evalsha: (sha1, keys, args) => redis.evalsha(sha1, keys.length, ...keys, ...args),
    eval: (script, keys, args) => redis.eval(script, keys.length, ...keys, ...args),
  });
  return {
    ...counted.store(redisStore(client, ALL_SCRIPTS)),
    taken() {
      const taken = commands;
      commands = 0;
      return taken;
    },
  };
}

/** Long enough that no request leaves its window, and that no bucket refills a unit, while the test runs. */
const WINDOW = "30d";

/** From one to four policies of any algorithm and role; those of leases are enforced or advisory, without slots. Shadows may be owed. */
function drawPolicies(draw: () => number, isLease: boolean) {
  const one = <Of>(list: readonly Of[]) => list[Math.floor(draw() * list.length)]!;
  const policies = Array.from({ length: 1 + Math.floor(draw() * 4) }, (_, i) => {
    const limit = 1 + Math.floor(draw() * 4);
    const slots = concurrency({ limit, ttl: "1h" });
    const all: readonly Policy[] = [...everyPolicy(limit, WINDOW), ...(isLease ? [] : [slots])];
    const drawn = one(all);
    const isPlain = !["concurrency", "sliding-window-log"].includes(drawn.algorithm);
    const isBan = !isLease && isPlain && draw() < 0.2;
    const role = isBan ? { counts: "denials" } : { mode: one(["enforce", "enforce", "shadow"]) };
    return { ...drawn, ...role, name: `p${i}` } as Policy;
  });
  const owes = !isLease && draw() < 0.3;
  return compile(policies).map((policy): CompiledPolicy => {
    const isOwed = owes && policy.role === "advisory" && !policy.implementation.hasSlots;
    return isOwed ? Object.assign(policy, { role: "owed" }) : policy;
  });
}

test("the counted commands are those that a server ran, whatever the policies, the operation and the answer", async () => {
  const draw = random(7);
  const store = countedStore();
  const calls = runs(2_000);
  let policies = drawPolicies(draw, false);
  let keys: readonly string[] = [];
  let isLease = false;
  for (let call = 0; call < calls; call++) {
    if (call % 12 === 0) {
      isLease = call % 36 === 0;
      policies = drawPolicies(draw, isLease);
      keys = policies.map(({ key }) => `tg:{${call}}:${key}`);
    }
    // A log in debt, one of requests that cost several units, and one that gives units back, read more.
    const hasLog = policies.some(({ algorithm }) => algorithm === "sliding-window-log");
    const most = hasLog ? 1 : 2;
    const costs = policies.map(({ implementation, limit }) =>
      Math.min(implementation.hasSlots ? 1 : limit, Math.floor(draw() * (most + 1))),
    );
    const slots = policies.some(({ implementation }) => implementation.hasSlots);
    const slot = slots && draw() < 0.7 ? { id: `slot-${call}`, ttlUs: 60e6 } : undefined;
    const kind = draw();
    store.taken();
    await ran();
    let told: unknown;
    if (isLease && kind < 0.6) {
      const units = 1 + Math.floor(draw() * most);
      const request = {
        own: Math.floor(draw() * 2),
        bounds: policies.map(() => ({ most: 3, periodUs: 0 })),
        spent: draw() < 0.3 ? [{ units: 1, epochs: policies.map(() => 1) }] : [],
      };
      const all = policies.map(() => units);
      told = await store.decide("lease", keys, all, policies, undefined, request);
    } else {
      const operation = kind < 0.7 ? "consume" : hasLog || kind < 0.85 ? "peek" : "charge";
      const reply = await store.decide(operation, keys, costs, policies, slot);
      told = { operation, costs, reply };
      const denies = policies.some((policy, i) => mayDeny(policy) && !reply.rows[i]!.allowed);
      const isGiven = operation === "consume" && !denies && !hasLog && draw() < 0.4;
      if (isGiven && slot) await store.extend!(keys, policies, slot);
      if (isGiven) {
        const took = costs.map((cost, i) => (reply.rows[i]!.allowed ? cost : 0));
        const given = await store.refund!(keys, took, policies, reply, slot);
        told = { operation, costs, reply, given };
      }
    }
    const names = policies.map(({ algorithm, role, limit }) => `${algorithm} ${role} ${limit}`);
    const taken = store.taken();
    expect(taken, JSON.stringify({ names, slot, told })).toBe(await ran());
  }
  store.taken();
  await ran();
  await store.reset(keys);
  expect(store.taken()).toBe(await ran());
});

test("the commands of a region's call are counted", async () => {
  const draw = random(11);
  const store = countedStore();
  const drawn = everyPolicy(3, WINDOW).map((policy, i) => Object.assign(policy, { name: `p${i}` }));
  // A log reads more where several units are taken at once.
  const policies = compile(drawn.filter(({ algorithm }) => algorithm !== "sliding-window-log"));
  for (let call = 0; call < runs(300); call++) {
    const keys = policies.map(({ key }) => `tg:{take ${call >> 2}}:${key}`);
    const costs = policies.map(() => Math.floor(draw() * 3));
    const orders = policies.map(() => ({
      most: Math.floor(draw() * 2),
      need: 1,
      owed: Math.floor(draw() * 1.2),
    }));
    store.taken();
    await ran();
    const reply = await store.take!(keys, costs, policies, orders);
    expect(store.taken(), JSON.stringify({ costs, orders, reply })).toBe(await ran());
  }
});

test("a call that Redis does not answer is counted as one command", async () => {
  let commands = 0;
  const counted = countedRedis((count) => void (commands += count));
  const lost = () => Promise.reject(new Error("lost"));
  const store = counted.store(
    redisStore(counted.client({ evalsha: lost, eval: lost }), ALL_SCRIPTS),
  );
  const policies = compile([fixedWindow({ limit: 1, window: "1s" })]);
  await expect(store.decide("consume", ["k"], [1], policies)).rejects.toThrow("lost");
  expect(commands).toBe(1);
});
