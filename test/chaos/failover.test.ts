import { setTimeout as sleep } from "node:timers/promises";

import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";

import { type Bridge, startBridge } from "../../packages/redis-rest/src/bridge.ts";
import type { Limiter } from "../../src/decide/limiter-types.ts";
import { cluster as inCluster, createLimiter, fixedWindow } from "../../src/index.ts";
import { figures } from "../support/chaos/figures.ts";
import { random } from "../support/random.ts";
import { type RedisCluster, startRedisCluster } from "../support/redis-cluster.ts";
import { some } from "../support/runs.ts";
import { type Call, startUser, type User, usersOf } from "./cluster-users.ts";
import { startStopwatch } from "./stopwatch.ts";

const LIMIT = 1_000_000_000;
const TOKEN = "token";

let cluster: RedisCluster;
let bridge: Bridge;
let admins: Redis[];
beforeAll(async () => {
  cluster = await startRedisCluster({ masters: 3, replicas: 1 });
  admins = cluster.urls.map((url) => new Redis(url, { disableClientInfo: true }));
  for (const admin of admins) {
    admin.on("error", () => {});
    // By default, a cluster that misses a part refuses all of itself until a replica has taken over.
    await admin.config("SET", "cluster-require-full-coverage", "no");
  }
  bridge = await startBridge({
    redis: cluster.urls.join(","),
    port: 0,
    token: TOKEN,
    cluster: true,
  });
}, 30_000);
afterAll(async () => {
  for (const admin of admins) admin.disconnect();
  await bridge.close();
  await cluster.stop();
});

function limiterOfItsOwn(): Limiter {
  return createLimiter({
    redis: inCluster({ url: bridge.url, token: TOKEN }),
    policies: [fixedWindow({ limit: LIMIT, window: "366d" })],
    // So that only what Redis counted is admitted.
    onFailure: "closed",
    timeout: "2s",
    onStoreError: () => {},
  });
}

const CASES = [
  { name: "its replica cut off 300 ms before", master: 1, lagging: true },
  { name: "its replica up to date", master: 0, lagging: false },
] as const;

test.each(some(CASES))(
  "a master killed under load, $name: only the unreplicated end is lost",
  { timeout: 30_000 },
  async ({ name, master, lagging }) => {
    const [alive] = admins.slice(2);
    const others = ([0, 1, 2] as const).filter((other) => other !== master);
    const [ownUsers, ...otherUsers] = await Promise.all(
      [master, ...others].map((on) => usersOf(on, 5, alive!)),
    );
    const everywhere = [ownUsers!, ...otherUsers].map((users) => users.pop()!);
    const own = limiterOfItsOwn();
    const victims = ownUsers!.map((user) => startUser(own, () => user));
    const bystanders = otherUsers.flatMap((users) => {
      const limiter = limiterOfItsOwn();
      return users.map((user) => startUser(limiter, () => user));
    });
    const chance = random(3);
    const mixed = startUser(limiterOfItsOwn(), () => everywhere[Math.floor(3 * chance())]!);
    await sleep(500);

    const replicated = victims.map(({ calls }) => calls.length);
    // On one machine, replication takes much less.
    await sleep(50);
    if (lagging) await cutOff(master);
    await cluster.nodes[master]!.stop();
    const killed = performance.now();
    const promoted = await promotion(admins[master + 3]!);
    const served = await service(everywhere[0]!);
    const stop = startStopwatch();
    await Promise.all(victims.map(admittedAgain));
    const exactAfter = stop();
    expect(exactAfter.ownMs).toBeLessThan(2_000);
    await sleep(300);
    await Promise.all([...victims, ...bystanders, mixed].map((user) => user.stop()));

    const losses = victims.map(({ calls }, i) => readLoss(calls, replicated[i]!));
    // Keys on the other masters notice nothing.
    for (const { calls } of bystanders) expectCounted(calls, 0);
    // Nor do they where one limiter serves all masters.
    const reachable = mixed.calls.filter(({ user }) => user !== everywhere[0]);
    const refused = reachable.filter(({ decision }) => !decision.allowed).length;
    expect(refused / reachable.length).toBeLessThanOrEqual(0.01);
    figures(`failover, ${name}`, {
      "promoted after ms": promoted - killed,
      "served again after another": served - promoted,
      "exact after another": exactAfter.ms,
      admitted: sum(losses.map(({ admitted }) => admitted)),
      "refused (503)": sum(losses.map(({ refused }) => refused)),
      "admitted and lost": sum(losses.map(({ lost }) => lost)),
      "not known to be replicated": sum(losses.map(({ suffix }) => suffix)),
      "calls to other masters": sum(bystanders.map(({ calls }) => calls.length)),
      "of them interrupted": 0,
      "by one limiter for all masters, calls to others": reachable.length,
      "of them refused": refused,
    });
  },
);

/** Ends replication, and lets the master go on without for a while. */
async function cutOff(master: number): Promise<void> {
  await admins[master + 3]!.config("SET", "masterauth", "not the password");
  await admins[master]!.call("CLIENT", "KILL", "TYPE", "replica");
  await sleep(300);
}

async function promotion(replica: Redis): Promise<number> {
  while (((await replica.role()) as [string])[0] !== "master") await sleep(10);
  return performance.now();
}

/** When the REST API has an answer for this user's keys again. */
async function service(user: string): Promise<number> {
  const request = {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify(["EXISTS", `{${user}}`]),
  };
  while (!(await fetch(bridge.url, request)).ok) await sleep(10);
  return performance.now();
}

async function admittedAgain({ calls }: User): Promise<void> {
  const from = calls.length;
  while (!calls.slice(from).some(({ decision }) => decision.allowed)) await sleep(5);
}

interface Loss {
  readonly admitted: number;
  readonly refused: number;
  /** Calls that were admitted and that the new master does not know. */
  readonly lost: number;
  /** Calls that were admitted when it was no longer known whether they were replicated. */
  readonly suffix: number;
}

/** The effect of the outage on the calls of one user, `replicated` of which the replica had for certain. */
function readLoss(calls: readonly Call[], replicated: number): Loss {
  const failed = calls.findIndex(({ decision }) => !decision.allowed);
  const back = calls.findIndex(({ decision }, at) => at > failed && decision.allowed);
  for (const { decision } of calls.slice(failed, back)) {
    expect(decision).toMatchObject({ status: 503, reason: "store-unavailable" });
  }
  // Whether the first failed call was counted is unknown; later ones cannot have been.
  const sums = [0];
  for (const { cost } of calls.slice(0, failed + 1)) sums.push(sums.at(-1)! + cost);
  // All calls up to one are there, so that only the end is missing, and no call out of the middle.
  const kept = sums.indexOf(countedBefore(calls[back]!));
  expect(kept).toBeGreaterThanOrEqual(replicated);
  expectCounted(calls.slice(0, failed), 0);
  expectCounted(calls.slice(back), sums[kept]!);
  return {
    admitted: failed + calls.length - back,
    refused: back - failed,
    lost: Math.max(0, failed - kept),
    suffix: failed - replicated,
  };
}

/** Each call was admitted, and each answer is the one before less its own cost. */
function expectCounted(calls: readonly Call[], before: number): void {
  let counted = before;
  for (const call of calls) {
    expect(call.decision.reason).toBe("allowed");
    expect(countedBefore(call)).toBe(counted);
    counted += call.cost;
  }
}

/** What Redis had counted when this call came. */
function countedBefore({ cost, decision }: Call): number {
  return LIMIT - decision.policies[0]!.remaining - cost;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
