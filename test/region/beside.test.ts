import { beforeEach, expect, test, vi } from "vitest";

import {
  createLimiter,
  denials,
  fixedWindow,
  notify,
  type Policy,
  refundable,
  region,
  soft,
  tokenBucket,
} from "../../src/index.ts";
import { ownRedis, TOKEN } from "../support/own-redis.ts";

/* What a limiter has besides regions: each keeps its meaning, in a region or at home. */

const home = ownRedis();
const fra = ownRedis();
const gru = ownRedis();

type Own = ReturnType<typeof ownRedis>;
const at = ({ bridge }: Own) => ({ url: bridge.url, token: TOKEN });

let prefix = "";
beforeEach(() => {
  prefix = `t${crypto.randomUUID()}`;
  vi.spyOn(console, "warn").mockImplementation(() => {});
  return () => void vi.restoreAllMocks();
});

const limiterIn = (where: Own, policies: readonly Policy[], more: object = {}) =>
  createLimiter({
    redis: at(home),
    prefix,
    denialCache: false,
    onFailure: "closed",
    timeout: "2s",
    region: region({ name: "fra", redis: at(where) }),
    policies,
    ...more,
  });

const hot = tokenBucket({ name: "hot", limit: 4_000, refill: 1_000, per: "1s" });

/** How many of so many requests pass. */
async function passing(
  limiters: readonly ReturnType<typeof limiterIn>[],
  most: number,
): Promise<number> {
  let passed = 0;
  for (let i = 0; i < most; i++) {
    const { allowed } = await limiters[i % limiters.length]!.limit("a");
    passed += Number(allowed);
  }
  return passed;
}

test("notices are told once for all regions, by what is used at home and held in the region", async () => {
  const told: string[] = [];
  const policies = [
    fixedWindow({
      name: "p",
      limit: 60,
      window: "1h",
      notify: notify([0.5, 1], (_, { kind, share }) => void told.push(`${kind} ${share ?? ""}`)),
    }),
  ];
  const limiters = [fra, gru].map((where) => limiterIn(where, policies));
  expect(await passing(limiters, 200)).toBeLessThanOrEqual(60);
  await expect.poll(() => told.toSorted()).toEqual(["denied ", "reached 0.5", "reached 1"]);
});

test("a lower limit holds for all that ask by it; what a region holds is counted already", async () => {
  const of = (limit: number) => [fixedWindow({ name: "p", limit, window: "1h" })];
  const before = await passing([limiterIn(fra, of(200))], 40);
  const after = await passing([limiterIn(fra, of(100)), limiterIn(gru, of(100))], 200);
  expect(before).toBe(40);
  expect(after).toBeGreaterThan(30);
  expect(before + after).toBeLessThanOrEqual(100);
});

test("units of holds come back at home, and the request waits there", async () => {
  const policies = [
    fixedWindow({ name: "p", limit: 3, window: "1h", refundable: refundable() }),
    hot,
  ];
  const limiter = limiterIn(fra, policies);
  for (let i = 0; i < 5; i++) {
    const hold = await limiter.reserve("a");
    expect(hold.allowed).toBe(true);
    await hold.release();
  }
  expect((await limiter.peek("a")).policies[0]!.remaining).toBe(3);
});

test("a soft policy beside a regional one never denies", async () => {
  const policies = [soft(fixedWindow({ name: "seen", limit: 2, window: "1h" })), hot];
  const limiter = limiterIn(fra, policies);
  const decisions = [];
  for (let i = 0; i < 5; i++) decisions.push(await limiter.limit("a"));
  expect(decisions.map(({ allowed }) => allowed)).toEqual(Array(5).fill(true));
  expect(decisions.at(-1)!.policies.map(({ name, allowed }) => [name, allowed])).toEqual([
    ["seen", false],
    ["hot", true],
  ]);
});

test("bans count what is denied: home decides each request in which one takes part", async () => {
  const limiter = limiterIn(fra, [
    fixedWindow({ name: "quota", limit: 2, window: "1s" }),
    fixedWindow({ name: "ban", limit: 3, window: "1h", counts: denials() }),
  ]);
  expect(await passing([limiter], 8)).toBeLessThanOrEqual(4);
  const { policies } = await limiter.peek("a");
  expect(policies[1]).toMatchObject({ name: "ban", allowed: false });
});
