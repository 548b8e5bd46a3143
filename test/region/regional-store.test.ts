import { expect, test } from "vitest";

import { StoreError } from "../../src/options/errors.ts";
import type { Delivery, PoolAnswer, PoolRequest, Pools } from "../../src/store/region/pools.ts";
import type { RegionCount } from "../../src/store/region/region-store.ts";
import { type HomeStore, regionalStore } from "../../src/store/region/regional-store.ts";
import type { RegionOrder } from "../../src/store/store.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { fixedWindow, type Policy, slidingWindowLog } from "../support/limiter/plain.ts";

/* What an isolate does with the answers of both stores, which are written here. */

const TERM = 1e6;
const SPENT_LIFE = 999_500;

const nearby = (policy: Policy) => ({
  ...compilePolicy(policy),
  region: { termUs: TERM, credit: 0, reserve: 0 },
});
const log = nearby(slidingWindowLog({ limit: 100, window: "1m" }));
const fixed = nearby(fixedWindow({ limit: 100, window: "1m" }));

const answer = (more: Partial<PoolAnswer> = {}): PoolAnswer => ({
  atUs: 7,
  state: 3,
  left: -1,
  waitUs: 0,
  resetUs: 0,
  isClaimed: false,
  order: { most: 8, need: 2, owed: 0 },
  spentUntilUs: 0,
  ...more,
});

/** A regional store, and what it sends. */
function isolate(
  verdict: number,
  pools: readonly PoolAnswer[],
  more: Partial<HomeStore> = {},
  others: Partial<Pools> = {},
) {
  let nowMs = 0;
  const noted: [RegionCount, number][] = [];
  const spent: (readonly PoolRequest[])[] = [];
  const brought: (readonly Delivery[])[] = [];
  const taken: [readonly number[], readonly RegionOrder[]][] = [];
  const nearbyPools: Pools = {
    async spend(_, requests) {
      spent.push(requests);
      return { nowUs: 7, verdict, unspent: 3, pools };
    },
    async put(_, deliveries) {
      expect(deliveries.map(({ atUs }) => atUs)).toEqual(deliveries.map(() => 7));
      brought.push(deliveries);
      return { unspent: 1, lostClaims: 1 };
    },
    ...others,
  };
  const home: HomeStore = {
    decide: () => ({ nowUs: 9, rows: [] }),
    reset: () => {},
    async take(_, costs, policies, orders) {
      taken.push([costs, orders]);
      const row = { allowed: true, remaining: 40, retryAfterUs: 0, resetAfterUs: 300_000 };
      return {
        nowUs: 9,
        rows: policies.map(() => row),
        taken: policies.map(() => 5),
        againUs: policies.map(() => 0),
      };
    },
    ...more,
  };
  const store = regionalStore({
    home,
    pools: nearbyPools,
    alone: { decide: () => Promise.reject(new StoreError("ERR_STORE_UNREACHABLE", "gone")) },
    forget: async () => {},
    now: () => nowMs,
    note: (count, times) => times > 0 && noted.push([count, times]),
  });
  return { store, noted, spent, brought, taken, pass: (ms: number) => (nowMs += ms) };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

test("units live shorter than a term, because the region's clock may be slow, and no longer than their window", async () => {
  const { store, spent, brought, taken } = isolate(2, [
    answer({ isClaimed: true }),
    answer({ isClaimed: true }),
  ]);
  const reply = await store.decide("consume", ["l", "f"], [1, 2], [log, fixed]);
  expect(reply).toMatchObject({ nowUs: 7, rows: [{ allowed: true }, { allowed: true }] });
  await settled();
  expect(spent[0]!.map(({ termUs }) => termUs)).toEqual([SPENT_LIFE, SPENT_LIFE]);
  expect(taken).toMatchObject([
    [
      [1, 2],
      [{ most: 8 }, { most: 8 }],
    ],
  ]);
  expect(brought).toMatchObject([
    [
      { isClaimed: true, units: 5, lifeUs: SPENT_LIFE, left: 40 },
      { isClaimed: true, units: 5, lifeUs: 299_850, left: 40 },
    ],
  ]);
});

test("what a region does is counted for metrics", async () => {
  const waiting = isolate(2, [answer({ isClaimed: true })]);
  await waiting.store.decide("consume", ["l"], [1], [log]);
  await settled();
  expect(waiting.noted).toEqual([
    ["unspentUnits", 3],
    ["waits", 1],
    ["homeCalls", 1],
    ["unspentUnits", 1],
    ["lostClaims", 1],
  ]);
  const lost = isolate(1, [answer({ state: 0, left: 9, isClaimed: true })], {
    take: () => Promise.reject(new StoreError("ERR_STORE_TIMEOUT", "lost")),
  });
  await lost.store.decide("consume", ["l"], [1], [log]);
  await settled();
  expect(lost.noted).toEqual([
    ["unspentUnits", 3],
    ["homeCalls", 1],
    ["lostClaims", 1],
  ]);
});

test("a region without an answer is counted, and home's answer is the request's", async () => {
  const pools = { spend: () => Promise.reject(new StoreError("ERR_STORE_TIMEOUT", "lost")) };
  const gone = isolate(1, [], {}, pools);
  expect(await gone.store.decide("consume", ["l"], [1], [log])).toMatchObject({ nowUs: 9 });
  expect(gone.noted).toEqual([
    ["failures", 1],
    ["waits", 1],
    ["homeCalls", 1],
  ]);
});

test("units that no request waits for are brought, and so is the news that home has none left", async () => {
  const { store, brought } = isolate(1, [answer({ state: 0, left: 9, isClaimed: true })]);
  await store.decide("consume", ["l"], [1], [log]);
  await settled();
  expect(brought).toMatchObject([[{ isClaimed: true, units: 5, left: 40 }]]);
  const last = isolate(2, [answer()], {
    async take() {
      const row = { allowed: true, remaining: 0, retryAfterUs: 0, resetAfterUs: 300_000 };
      return { nowUs: 9, rows: [row], taken: [0], againUs: [700] };
    },
  });
  await last.store.decide("consume", ["l"], [1], [log]);
  await settled();
  expect(last.brought).toMatchObject([[{ isClaimed: false, units: 0, left: 0, againUs: 700 }]]);
});

test("without a claim and with room at home nothing is brought", async () => {
  const { store, brought } = isolate(2, [answer()]);
  await store.decide("consume", ["l"], [1], [log]);
  await settled();
  expect(brought).toEqual([]);
});

test("a request that the region allows does not wait for the next units", async () => {
  const never = () => new Promise<never>(() => {});
  const { store } = isolate(1, [answer({ state: 0, left: 9, isClaimed: true })], { take: never });
  expect(await store.decide("consume", ["l"], [1], [log])).toEqual({
    nowUs: 7,
    rows: [{ allowed: true, remaining: 9, retryAfterUs: 0, resetAfterUs: 0 }],
  });
});

test("without an answer of home, what was spent comes back, and the failure goes on", async () => {
  const lost = async () => {
    throw new StoreError("ERR_STORE_TIMEOUT", "lost");
  };
  const pools = [answer({ state: 0, left: 3, spentUntilUs: 77 }), answer()];
  const { store, brought } = isolate(2, pools, { take: lost });
  await expect(store.decide("consume", ["l", "f"], [2, 1], [log, fixed])).rejects.toThrow("lost");
  await settled();
  expect(brought).toMatchObject([
    [
      { back: 2, backUntilUs: 77, isClaimed: false, units: 0, left: -1 },
      { back: 0, isClaimed: false, units: 0, left: -1 },
    ],
  ]);
});

test("home counts only what the region lacks; where it denies that, what the region spent comes back", async () => {
  const taken: (readonly number[])[] = [];
  const pools = [answer({ state: 0, left: 3, isClaimed: true, spentUntilUs: 77 }), answer()];
  const { store, brought } = isolate(2, pools, {
    async take(_, costs) {
      taken.push(costs);
      const row = { allowed: true, remaining: 40, retryAfterUs: 0, resetAfterUs: 300_000 };
      const denied = { ...row, allowed: false, remaining: 0, retryAfterUs: 900 };
      return { nowUs: 9, rows: [row, denied], taken: [5, 0], againUs: [0, 800] };
    },
  });
  const reply = await store.decide("consume", ["l", "f"], [2, 1], [log, fixed]);
  expect(reply).toMatchObject({
    rows: [{ allowed: true }, { allowed: false, retryAfterUs: 900 }],
  });
  expect(reply).not.toHaveProperty("isFromRegion");
  await settled();
  expect(taken).toEqual([[0, 1]]);
  expect(brought).toMatchObject([
    [
      { isClaimed: true, units: 5, left: 40, back: 2, backUntilUs: 77 },
      { isClaimed: false, units: 0, left: 0, againUs: 800, back: 0 },
    ],
  ]);
});

test("an admitted request gives nothing back", async () => {
  const pools = [answer({ state: 0, left: 3, isClaimed: true, spentUntilUs: 77 }), answer()];
  const { store, brought } = isolate(2, pools);
  await store.decide("consume", ["l", "f"], [2, 1], [log, fixed]);
  await settled();
  expect(brought).toMatchObject([[{ units: 5, back: 0 }, { back: 0 }]]);
});

test("requests that the isolate denied by itself count as demand, those of one term at most", async () => {
  const { store, spent, pass } = isolate(1, [answer({ state: 0 })]);
  store.noteDenied!(["l"], [30]);
  store.noteDenied!(["l"], [10]);
  pass(4_000);
  await store.decide("consume", ["l"], [1], [log]);
  await store.decide("consume", ["l"], [1], [log]);
  expect(spent.map(([request]) => request!.deniedHere)).toEqual([10, 0]);
});

test("a policy that no region decides has the whole request decided at home", async () => {
  const { store, spent } = isolate(1, [answer({ state: 0 })]);
  const { region: _, ...own } = log;
  const reply = await store.decide("consume", ["l", "f"], [1, 1], [own, fixed]);
  expect(reply).toEqual({ nowUs: 9, rows: [], estimated: true });
  expect(spent).toEqual([]);
});
