import { expect, test, vi } from "vitest";

import { scriptRunner } from "../../src/store/redis/store.ts";
import { openPools, poolKeyOf } from "../../src/store/region/pools.ts";
import { random } from "../support/random.ts";
import { least, runs } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";
import { standingRedis } from "./ledger/standing-redis.ts";
import { PoolModel } from "./pool-model.ts";

/* The scripts of pools on a real Redis against their model: each answer, and when each pool expires. */

const redis = testRedis();
const START = 4_000_000_000_123_457;
const STEPS = 60;

/** What an isolate may bring after one answer. */
interface Claim {
  readonly place: number;
  readonly at: number;
  readonly isClaimed: boolean;
  readonly owed: number;
  readonly until: number;
}

async function follow(seed: number, seen: Map<string, number>): Promise<void> {
  const next = random(seed);
  const chance = (share: number) => next() < share;
  const whole = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  let now = START + whole(0, 1e6);
  const model = new PoolModel();
  const prefix = `${crypto.randomUUID()}:`;
  const server = standingRedis(redis, prefix, () => now);
  const pools = openPools(scriptRunner(server.client, { firstLine: "" }));
  const keys = ["a", "b", "c"].map((name) => `tg:{x}:${name}`);
  const termUs = 40 * whole(1_000, 8_000);
  // In some stories times often coincide.
  const tickUs = chance(0.5) ? 1 : termUs / 40;
  const ticks = (mostUs: number) => tickUs * whole(0, Math.floor(mostUs / tickUs));
  const policies = keys.map(() => ({
    termUs,
    keepUs: 10 * termUs,
    credit: chance(0.3) ? whole(1, 4) : 0,
    plenty: chance(0.3) ? whole(5, 40) : Number.MAX_SAFE_INTEGER,
    ceiling: chance(0.1) ? 0 : whole(5, 100),
  }));
  const claims: Claim[] = [];

  async function spend(places: readonly number[]): Promise<void> {
    const asked = places.map((place) => ({
      ...policies[place]!,
      cost: chance(0.8) ? 1 : whole(2, 5),
      deniedHere: chance(0.2) ? whole(1, 30) : 0,
    }));
    const own = places.map((place) => keys[place]!);
    const reply = await pools.spend(own, asked);
    expect(reply).toEqual(model.spend(own, asked, now));
    reply.pools.forEach(({ state, isClaimed, order, spentUntilUs: until }, i) => {
      seen.set(`state ${state}`, (seen.get(`state ${state}`) ?? 0) + 1);
      if (isClaimed || until > 0) {
        claims.push({ place: places[i]!, at: reply.nowUs, isClaimed, owed: order.owed, until });
      }
    });
  }

  async function put(): Promise<void> {
    const { place, at, isClaimed, owed, until } = claims[whole(0, claims.length - 1)]!;
    const isShort = chance(0.3);
    const delivery = {
      termUs,
      keepUs: 10 * termUs,
      isClaimed: chance(0.1) ? !isClaimed : isClaimed,
      units: chance(0.2) ? 0 : whole(1, 20),
      lifeUs: chance(0.2) ? ticks(termUs) : termUs,
      left: chance(0.1) ? -1 : isShort ? 0 : whole(1, 60),
      againUs: isShort ? whole(1, 2 * termUs) : 0,
      resetUs: whole(0, 5 * termUs),
      paid: owed,
      back: until > 0 && chance(0.4) ? whole(1, 3) : 0,
      backUntilUs: until,
    };
    // The network repeats some calls, and one id may be drawn twice.
    vi.spyOn(Math, "random").mockReturnValue(whole(1, 20) / 64);
    for (let times = chance(0.2) ? 2 : 1; times > 0; times--) {
      const reply = await pools.put([keys[place]!], at, [delivery]);
      const id = Math.floor(Math.random() * 2 ** 48);
      const expected = model.put([keys[place]!], at, [delivery], now, id);
      expect(reply).toEqual(expected);
      for (const [what, count] of Object.entries(expected)) {
        if (count > 0) seen.set(what, (seen.get(what) ?? 0) + 1);
      }
    }
    vi.restoreAllMocks();
  }

  for (let step = 0; step < STEPS; step++) {
    now += chance(0.1) ? ticks(3 * termUs) : ticks(termUs / 20);
    if (chance(0.01)) now -= ticks(2 * termUs);
    const first = whole(0, 2);
    if (claims.length > 0 && chance(0.4)) await put();
    else await spend(chance(0.7) ? [first] : [first, (first + 1) % 3]);
  }
  for (const key of keys) {
    const expiresMs = await redis.pexpiretime(prefix + poolKeyOf(key));
    const { expiresMs: expected } = model.kept.get(key) ?? { expiresMs: -2 };
    expect(expiresMs).toBe(expected);
  }
  await server.flush();
}

test("pools do as their model does", { timeout: 120_000 }, async () => {
  const seen = new Map<string, number>();
  for (let seed = 1; seed <= runs(400); seed++) await follow(seed, seen);
  const told = ["state 0", "state 1", "state 2", "state 3", "state 4", "unspent", "lostClaims"];
  expect(told.filter((what) => (seen.get(what) ?? 0) < least(100))).toEqual([]);
});
