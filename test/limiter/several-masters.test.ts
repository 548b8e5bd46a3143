import { expect, test } from "vitest";

import type { FailureVerdict } from "../../src/algorithms/common-options.ts";
import { splitStore } from "../../src/store/cluster/split-store.ts";
import type { DecidedAt, Store } from "../../src/store/store.ts";
import { CLOCKS, LOST, scriptedParts, tagOf } from "../store/scripted-parts.ts";
import { limiterOver } from "../support/limiter/limiter-over.ts";
import { fixedWindow } from "../support/limiter/plain.ts";

/* A limiter whose partitions lie on several masters of a Redis Cluster, some of which do not answer. */

const WHO = { ip: "a", key: "b" };
const NAMES = { ip: "ip", key: "key", "*": "all" };

function limiterOf(
  verdicts: Readonly<Record<"ip" | "key" | "*", FailureVerdict>>,
  wrap: (store: Store) => Store = splitStore,
  dimensions: readonly ("ip" | "key" | "*")[] = ["ip", "key", "*"],
) {
  const scripted = scriptedParts();
  const policies = dimensions.map((by) =>
    fixedWindow({ name: NAMES[by], by, limit: 2, window: "1h", onFailure: verdicts[by] }),
  );
  return { limiter: limiterOver(wrap(scripted.store), { policies }), ...scripted };
}

const OPEN = { ip: "open", key: "open", "*": "open" } as const;

/** The keys that the store holds, by the policies' names. */
async function keysOf({ limiter, calls }: ReturnType<typeof limiterOf>) {
  await limiter.peek(WHO);
  const { keys } = calls[0]!;
  calls.length = 0;
  return { ip: keys[0]!, key: keys[1]!, all: keys[2]! };
}

test("a policy whose master is dead is decided by its own verdict, the others by Redis", async () => {
  const given = limiterOf(OPEN);
  const keys = await keysOf(given);
  given.dead.add("b");
  given.held[keys.ip] = { remaining: 7 };
  const decision = await given.limiter.limit(WHO);
  expect(decision).toMatchObject({
    allowed: true,
    reason: "store-unavailable",
    status: 200,
    error: { code: LOST.code },
  });
  expect(decision.policies.map(({ remaining }) => remaining)).toEqual([7, 2, 5]);
  expect(given.calls.map(({ call }) => call)).toEqual(["consume", "consume", "consume"]);
});

test("a live master without room denies, under any verdict for a dead one", async () => {
  const given = limiterOf(OPEN);
  const keys = await keysOf(given);
  given.dead.add("b");
  given.held[keys.ip] = { allowed: false, remaining: 0 };
  const decision = await given.limiter.limit(WHO);
  expect(decision).toMatchObject({ allowed: false, status: 429 });
  expect(decision.policies.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
    [false, 0],
    [true, 2],
    [true, 6],
  ]);
  // All clients get the unit back.
  expect(given.calls.slice(3)).toMatchObject([{ call: "refund", keys: [keys.all], costs: [1] }]);
});

test("if a dead master's verdict denies, the live ones give back", async () => {
  const given = limiterOf({ ...OPEN, key: "closed" });
  const keys = await keysOf(given);
  given.dead.add("b");
  const decision = await given.limiter.limit(WHO, { cost: { ip: 2, all: 0 } });
  expect(decision).toMatchObject({ allowed: false, status: 503 });
  expect(decision.policies.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
    [true, 7],
    [false, 0],
    [true, 5],
  ]);
  expect(given.calls.slice(3)).toMatchObject([{ call: "refund", keys: [keys.ip], costs: [2] }]);
});

test("a dead master's policy counts locally, and only admitted units", async () => {
  const given = limiterOf({ ...OPEN, key: "local" });
  const keys = await keysOf(given);
  given.dead.add("b");
  given.held[keys.ip] = { allowed: false };
  for (let i = 0; i < 5; i++) await given.limiter.limit(WHO);
  given.held[keys.ip] = {};
  const statuses = [];
  for (let i = 0; i < 3; i++) statuses.push((await given.limiter.limit(WHO)).status);
  expect(statuses).toEqual([200, 200, 429]);
});

test("if no master answers, every verdict decides and no unit is given back", async () => {
  const given = limiterOf(OPEN);
  await keysOf(given);
  for (const tag of ["a", "b", "*"]) given.dead.add(tag);
  expect((await given.limiter.limit(WHO)).status).toBe(200);
  expect(given.calls).toHaveLength(3);
});

test("a denial on a Cluster is not known: another request's give-back may lift it", async () => {
  const given = limiterOf(OPEN);
  const keys = await keysOf(given);
  given.held[keys.ip] = { allowed: false };
  expect((await given.limiter.limit(WHO)).reason).toBe("limited");
  expect((await given.limiter.limit(WHO)).reason).toBe("limited");
  given.held[keys.ip] = {};
  expect((await given.limiter.limit(WHO)).reason).toBe("allowed");
});

test("a denial of one dimension alone is learnt after the store has said whether it spans several", async () => {
  for (const isCluster of [true, false]) {
    const { limiter, state, held, calls } = limiterOf(OPEN, splitStore, ["ip", "key"]);
    state.isCluster = isCluster;
    await limiter.peek({ ip: "a" });
    held[calls[0]!.keys[0]!] = { allowed: false };
    const reasons = [];
    for (let i = 0; i < 2; i++) reasons.push((await limiter.limit({ ip: "a" })).reason);
    expect(reasons).toEqual(["limited", isCluster ? "limited" : "cached-denial"]);
    expect(calls.filter(({ call }) => call === "reset")).toHaveLength(1);
  }
});

test("a denial is not learnt before it is known whether the store spans several partitions", async () => {
  const given = limiterOf(OPEN, (store) => ({ ...store, spansPartitions: async () => false }));
  given.state.isCluster = false;
  const keys = await keysOf(given);
  given.held[keys.ip] = { allowed: false };
  expect((await given.limiter.limit(WHO)).reason).toBe("limited");
  expect((await given.limiter.limit(WHO)).reason).toBe("limited");
});

test("policies that all count by one dimension are known without a question", async () => {
  const { limiter, held, calls } = limiterOf(OPEN, splitStore, ["ip"]);
  await limiter.peek({ ip: "a" });
  held[calls[0]!.keys[0]!] = { allowed: false };
  expect((await limiter.limit({ ip: "a" })).reason).toBe("limited");
  expect((await limiter.limit({ ip: "a" })).reason).toBe("cached-denial");
  expect(calls).toHaveLength(2);
});

test("a denial in an outage asks no more of the store than the request did", async () => {
  const scripted = scriptedParts();
  let probes = 0;
  const store: Store = {
    ...scripted.store,
    decide: () => Promise.reject(LOST),
    async spansPartitions() {
      probes++;
      return true;
    },
  };
  const policies = ["ip", "key"].map((by) => fixedWindow({ name: by, by, limit: 1, window: "1h" }));
  const limiter = limiterOver(store, { policies });
  const statuses: number[] = [];
  for (let request = 0; request < 3; request++) statuses.push((await limiter.limit(WHO)).status);
  expect(statuses).toEqual([200, 429, 429]);
  // Whether the store spans partitions does not matter for this isolate's own counts.
  expect(probes).toBe(0);
});

const refundable = (name: string, by: string) =>
  fixedWindow({ name, by, limit: 9, window: "1h", refundable: true });

test("a hold gives back by the clock that each master had when it took", async () => {
  const { store, calls } = scriptedParts();
  const policies = [
    ...["address", "subnet"].map((name) => refundable(name, "ip")),
    ...["key", "*"].map((by) => refundable(by === "*" ? "all" : by, by)),
  ];
  const hold = await limiterOver(splitStore(store), { policies }).reserve(WHO);
  calls.length = 0;
  await hold.release();
  const given = calls.map(({ keys, takenAtUs }) => [tagOf(keys[0]!), keys.length, takenAtUs]);
  expect(given).toEqual([
    ["a", 2, CLOCKS["a"]],
    ["b", 1, CLOCKS["b"]],
    ["*", 1, CLOCKS["*"]],
  ]);
});

test("a hold of one Redis gives back by its one clock", async () => {
  const { store } = scriptedParts(false);
  const moments: DecidedAt[] = [];
  const oneRedis: Store = {
    ...store,
    refund: (keys, costs, policies, decidedAt) => {
      moments.push(decidedAt);
      return store.refund!(keys, costs, policies, decidedAt);
    },
  };
  const policies = [refundable("address", "ip"), refundable("key", "key")];
  const hold = await limiterOver(splitStore(oneRedis), { policies }).reserve(WHO);
  await hold.release();
  expect(moments).toEqual([{ nowUs: CLOCKS["a"] }]);
});
