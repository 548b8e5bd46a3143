import { beforeEach, expect, test } from "vitest";

import { scriptRunner } from "../../src/store/redis/store.ts";
import {
  DENIED,
  type Delivery,
  HOME_DECIDES,
  MISSING,
  NOT_LOOKED_AT,
  ON_CREDIT,
  openPools,
  type PoolRequest,
  poolKeyOf,
  REGION_DENIES,
  SPENT,
} from "../../src/store/region/pools.ts";
import { clientWithClock } from "../support/redis-with-clock.ts";
import { testRedis } from "../support/test-redis.ts";

/* Each story of the pools by itself, on a real Redis with the clock of the test. */

const redis = testRedis();
const TERM = 1_000_000;
/** Later than the server's clock, by which keys expire. */
const START = Date.UTC(2099, 0, 1) * 1000;
const ALLOWED = 1;

let now = START;
let key = "";
beforeEach(() => {
  now = START;
  key = `tg:{${crypto.randomUUID()}}:p`;
});

const pools = openPools(
  scriptRunner(
    clientWithClock(
      (script, keys, args) => redis.eval(script, keys.length, ...keys, ...args),
      () => now,
    ),
    { firstLine: "" },
  ),
);

const request = (more: Partial<PoolRequest> = {}): PoolRequest => ({
  termUs: TERM,
  cost: 1,
  credit: 0,
  keepUs: 10 * TERM,
  plenty: Number.MAX_SAFE_INTEGER,
  ceiling: 1_000,
  deniedHere: 0,
  ...more,
});

const delivery = (more: Partial<Delivery> = {}): Delivery => ({
  termUs: TERM,
  atUs: 0,
  isClaimed: true,
  units: 0,
  lifeUs: TERM,
  left: 100,
  againUs: 0,
  resetUs: 5 * TERM,
  paid: 0,
  keepUs: 10 * TERM,
  back: 0,
  backUntilUs: 0,
  ...more,
});

const spend = (more: Partial<PoolRequest> = {}, of = key) => pools.spend([of], [request(more)]);
const bring = (atUs: number, more: Partial<Delivery> = {}, of = key) =>
  pools.put([of], [delivery({ atUs, ...more })]);
/** Brings, and returns the units that are lost. */
const put = async (...brought: Parameters<typeof bring>) => (await bring(...brought)).unspent;

/** Asks until the pool gives a claim, and returns the time of that answer. */
async function claim(of = key): Promise<number> {
  for (let asked = 0; asked < 5; asked++) {
    const { nowUs, pools: rows } = await spend({}, of);
    if (rows[0]!.isClaimed) return nowUs;
    now += 1;
  }
  throw new Error("no claim");
}

/** How many of these requests the region allows by itself. */
async function spendable(most: number): Promise<number> {
  let allowed = 0;
  while (allowed < most && (await spend()).verdict === ALLOWED) allowed++;
  return allowed;
}

test("a first request is for home, and a second one within a term takes the claim", async () => {
  const first = await spend();
  expect(first).toMatchObject({ verdict: HOME_DECIDES, pools: [{ state: MISSING, left: -1 }] });
  expect(first.pools[0]!.isClaimed).toBe(false);
  now += 1_000;
  const { pools: rows } = await spend();
  expect(rows[0]).toMatchObject({ isClaimed: true, order: { owed: 0 } });
  expect(rows[0]!.order.most).toBeGreaterThan(0);
  now += 1_000;
  expect((await spend()).pools[0]!.isClaimed).toBe(false);
});

test("a pool of a small limit takes no units ahead of time", async () => {
  for (let asked = 0; asked < 9; asked++) {
    expect((await spend({ ceiling: 0 })).pools[0]).toMatchObject({ isClaimed: false });
  }
});

test("units may be spent until one term after the claim, however late they arrive", async () => {
  const atUs = await claim();
  now = atUs + 600_000;
  expect(await put(atUs, { units: 3 })).toBe(0);
  now = atUs + TERM - 1;
  expect(await spend()).toMatchObject({ verdict: ALLOWED, pools: [{ state: SPENT, left: 102 }] });
  now = atUs + TERM;
  expect(await spend()).toMatchObject({ verdict: HOME_DECIDES, pools: [{ left: 100 }] });
});

test("units that expire unspent are told once, by whichever call finds them", async () => {
  const atUs = await claim();
  await put(atUs, { units: 3 });
  expect(await spend()).toMatchObject({ verdict: ALLOWED, unspent: 0 });
  now = atUs + TERM;
  expect((await spend()).unspent).toBe(2);
  expect((await spend()).unspent).toBe(0);
});

test("a claim that went to another isolate is told to the one that lost it", async () => {
  const early = await claim();
  now += TERM / 2;
  const late = await claim();
  expect(await bring(early, { units: 3 })).toEqual({ unspent: 3, lostClaims: 1 });
  expect(await bring(late, { units: 2 })).toEqual({ unspent: 0, lostClaims: 0 });
  expect(await bring(late, { isClaimed: false })).toEqual({ unspent: 0, lostClaims: 0 });
});

test("units that arrive after their term are dropped", async () => {
  const atUs = await claim();
  now = atUs + TERM;
  expect(await put(atUs, { units: 3 })).toBe(3);
  expect(await spendable(3)).toBe(0);
});

test("units arrive once, however often they are sent", async () => {
  const atUs = await claim();
  now += 1_000;
  expect(await put(atUs, { units: 3 })).toBe(0);
  expect(await put(atUs, { units: 3 })).toBe(3);
  expect(await spendable(6)).toBe(3);
});

test("units count only for the claim under which they were taken", async () => {
  const early = await claim();
  now += TERM / 2;
  const late = await claim();
  expect(await put(early, { units: 3 })).toBe(3);
  expect(await put(late, { units: 2 })).toBe(0);
  expect(await spendable(6)).toBe(2);
  expect(await put(late, { units: 4, isClaimed: false })).toBe(4);
});

test("a region that lost its memory takes no units of before", async () => {
  const atUs = await claim();
  await redis.del(poolKeyOf(key));
  expect(await put(atUs, { units: 3 })).toBe(3);
  await claim();
  expect(await put(atUs, { units: 3 })).toBe(3);
  expect(await spendable(3)).toBe(0);
});

test("a claim that is never answered ends, and another isolate gets one", async () => {
  await claim();
  now += TERM / 4 - 1;
  expect((await spend()).pools[0]!.isClaimed).toBe(false);
  now += 1;
  expect((await spend()).pools[0]!.isClaimed).toBe(true);
});

test("a clock that goes back empties the pool: of no unit is it known how old it is", async () => {
  const atUs = await claim();
  now += 1_000;
  await put(atUs, { units: 3 });
  now -= 10_000;
  expect(await spend()).toMatchObject({ verdict: HOME_DECIDES });
  expect(await put(atUs, { units: 3 })).toBe(3);
});

test("of several pools either all spend the cost, or none does", async () => {
  const other = `${key}2`;
  const first = await claim();
  await put(first, { units: 2 });
  const second = await claim(other);
  await put(second, { units: 0, left: 0, againUs: TERM }, other);
  const both = await pools.spend([key, other], [request(), request()]);
  expect(both).toMatchObject({
    verdict: REGION_DENIES,
    pools: [{ state: NOT_LOOKED_AT }, { state: DENIED }],
  });
  expect(both.pools[1]!.waitUs).toBeGreaterThan(0);
  expect(await spendable(3)).toBe(2);
});

test("what a request spent before home denied it comes back once, until its old end", async () => {
  const other = `${key}2`;
  const atUs = await claim();
  await put(atUs, { units: 1 });
  now += 1_000;
  const { nowUs, pools: rows } = await pools.spend([key, other], [request(), request()]);
  expect(rows).toMatchObject([{ state: SPENT, spentUntilUs: atUs + TERM }, { state: MISSING }]);
  expect(await spendable(1)).toBe(0);
  const back = delivery({
    atUs: nowUs,
    isClaimed: false,
    left: -1,
    back: 1,
    backUntilUs: atUs + TERM,
  });
  // The network sends the same call twice.
  const sent: [string[], string[]][] = [];
  const recording = openPools((script, keys, args, length) => {
    sent.push([keys as string[], args]);
    return scriptRunner(twice, { firstLine: "" })(script, keys, args, length);
  });
  await recording.put([key], [back]);
  expect(sent).toHaveLength(1);
  expect(await spendable(3)).toBe(1);
  now = atUs + TERM;
  expect(await spendable(1)).toBe(0);
});

const twice = clientWithClock(
  async (script, keys, args) => {
    await redis.eval(script, keys.length, ...keys, ...args);
    return redis.eval(script, keys.length, ...keys, ...args);
  },
  () => now,
);

test("a cost of units with different ends is kept until the first of these when it comes back", async () => {
  const early = await claim();
  await put(early, { units: 1 });
  now += 100_000;
  const { pools: rows, nowUs } = await spend({ cost: 2 });
  expect(rows[0]!.isClaimed).toBe(true);
  await put(nowUs, { units: 1 });
  expect((await spend({ cost: 2 })).pools[0]).toMatchObject({
    state: SPENT,
    spentUntilUs: early + TERM,
  });
});

/** Brings 1, 2, 3, ... units, a millisecond apart, and returns when each were claimed. */
async function bringMany(times: number): Promise<number[]> {
  const claimed: number[] = [];
  for (let units = 1; units <= times; units++) {
    now += 1_000;
    // More than there is: nothing is spent.
    const { nowUs, pools: rows } = await spend({ cost: 500 });
    expect(rows[0]!.isClaimed).toBe(true);
    claimed.push(nowUs);
    await put(nowUs, { units });
  }
  return claimed;
}

test("of more than six grants the last ones are one, and all of it ends as the first of them", async () => {
  const claimed = await bringMany(7);
  expect(await spend({ cost: 500 })).toMatchObject({ pools: [{ left: 100 + 28 }] });
  now = claimed[4]! + TERM;
  expect(await spend({ cost: 500 })).toMatchObject({ pools: [{ left: 100 + 13 }] });
  now = claimed[5]! + TERM;
  expect(await spend({ cost: 500 })).toMatchObject({ pools: [{ left: 100 }], unspent: 13 });
});

test("units that come back to six grants join the first of them, and all of it ends as the earlier one", async () => {
  const [first] = await bringMany(6);
  const back = { isClaimed: false, left: -1, back: 4 };
  await put(now, { ...back, backUntilUs: first! + TERM - 300 });
  now = first! + TERM - 301;
  expect(await spend({ cost: 500 })).toMatchObject({ pools: [{ left: 100 + 25 }] });
  now += 1;
  expect(await spend({ cost: 500 })).toMatchObject({ pools: [{ left: 100 + 20 }], unspent: 5 });
});

test("of many requests that give units back at once, the first 32 do", async () => {
  const atUs = await claim();
  await put(atUs);
  const back = { isClaimed: false, left: -1, back: 1, backUntilUs: atUs + TERM };
  for (let times = 0; times < 33; times++) await put(now, back);
  expect(await spend({ cost: 500 })).toMatchObject({ pools: [{ left: 100 + 32 }] });
});

test("while home has none left the region denies, and one request asks again when it may have some", async () => {
  const atUs = await claim();
  now += 50_000;
  await put(atUs, { left: 0, againUs: 400_000 });
  const { verdict, pools: rows } = await spend();
  expect(verdict).toBe(REGION_DENIES);
  expect(rows[0]!.waitUs).toBeLessThanOrEqual(400_000);
  now = atUs + 400_000;
  const again = await spend();
  expect(again).toMatchObject({ verdict: HOME_DECIDES, pools: [{ isClaimed: true }] });
  now += 1_000;
  expect((await spend()).verdict).toBe(REGION_DENIES);
  await put(again.nowUs, { units: 2, left: 5 });
  expect(await spendable(3)).toBe(2);
});

test("an answer with room from before the last one without any says nothing", async () => {
  const early = (await spend()).nowUs;
  const late = await claim();
  now += 1_000;
  await put(late, { left: 0, againUs: 400_000 });
  await put(early, { isClaimed: false, left: 50 });
  expect((await spend()).verdict).toBe(REGION_DENIES);
});

test("on credit a region admits no more than it may before home has counted it, and nothing while home has none left", async () => {
  const credit = 2;
  const first = await spend({ credit });
  expect(first).toMatchObject({
    verdict: ALLOWED,
    pools: [{ state: ON_CREDIT, isClaimed: true, order: { owed: 1 } }],
  });
  now += 1_000;
  expect(await spend({ credit })).toMatchObject({
    verdict: ALLOWED,
    pools: [{ state: ON_CREDIT, isClaimed: false }],
  });
  now += 1_000;
  expect((await spend({ credit })).verdict).toBe(HOME_DECIDES);
  await put(first.nowUs, { paid: 1 });
  expect((await spend({ credit })).pools[0]).toMatchObject({
    state: ON_CREDIT,
    order: { owed: 2 },
  });
  await put(now, { paid: 2, left: 0, againUs: 10 * TERM });
  expect((await spend({ credit })).verdict).toBe(REGION_DENIES);
});

test("credit that nobody settled stays open, and the next claim charges it again", async () => {
  const credit = 1;
  const first = await spend({ credit });
  expect(first.pools[0]!.order.owed).toBe(1);
  now += TERM;
  const { pools: rows } = await spend({ credit });
  expect(rows[0]).toMatchObject({ state: MISSING, isClaimed: true, order: { owed: 1 } });
});

test.each(["foreign", "x".repeat(93), "\u0000".repeat(92) + "\u0005"])(
  "a foreign value is answered and replaced: %j",
  async (value) => {
    await redis.set(poolKeyOf(key), value);
    expect(await spend()).toMatchObject({
      verdict: HOME_DECIDES,
      pools: [{ left: -1, waitUs: 0, resetUs: 0 }],
    });
    const atUs = await claim();
    await put(atUs, { units: 3 });
    expect(await spendable(5)).toBe(3);
  },
);
