import { expect, test } from "vitest";

import { scriptRunner } from "../../src/store/redis/store.ts";
import { createMemoryPools } from "../../src/store/region/memory-pools.ts";
import {
  type Delivery,
  openPools,
  poolKeyOf,
  type PoolRequest,
  type SpendReply,
} from "../../src/store/region/pools.ts";
import { random } from "../support/random.ts";
import { clientWithClock } from "../support/redis-with-clock.ts";
import { runs } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";

/* The pools of an object against the scripts of a Redis: the same calls get the same answers, so that the protocol has one proof. */

const redis = testRedis();
const START = Date.UTC(2099, 0, 1) * 1000;
const TERM = 1_000_000;
const KEEP = `local function keep(key, value, _, us)
  redis.call('SET', key, value)
  redis.call('SET', key .. ':us', string.format('%.0f', us))
end
`;

/** The scripts, on a Redis whose keys expire by the test's clock. */
function scriptsAt(now: () => number) {
  let id = 0;
  const written = new Map<string, number>();
  const client = clientWithClock(async (script, keys, args) => {
    const kept = script
      .replaceAll("redis.call('SET',", "keep(")
      .replace(/'PX',math\.ceil\(\(([^)]*)\)\/1000\)/, "'PX',$1");
    expect(kept).not.toBe(script);
    for (const key of keys) {
      const lifeUs = Number(await redis.get(`${key}:us`));
      if (now() >= (written.get(key) ?? 0) + lifeUs) await redis.del(key);
      written.set(key, now());
    }
    // The model is told the id of a give-back.
    const sent = id > 0 ? [...args.slice(0, -1), String(id)] : args;
    return redis.eval(KEEP + kept, keys.length, ...keys, ...sent);
  }, now);
  const pools = openPools(scriptRunner(client, { firstLine: "" }));
  return {
    spend: pools.spend,
    async put(keys: readonly string[], deliveries: readonly Delivery[], ofGiveBack: number) {
      id = ofGiveBack;
      const reply = await pools.put(keys, deliveries);
      id = 0;
      return reply;
    },
    forget: (keys: readonly string[]) => redis.del(...keys.map(poolKeyOf)),
  };
}

/** Plays a random story to both, and returns how much of it there was of each kind. */
async function compare(seed: number): Promise<Record<string, number>> {
  const next = random(seed);
  const upTo = (most: number) => Math.floor(next() * (most + 1));
  let now = START;
  const scripts = scriptsAt(() => now);
  const memory = createMemoryPools(() => now);
  const keys = [..."ab"].map((name) => `tg:{${crypto.randomUUID()}}:${name}`);
  const credit = next() < 0.5 ? 0 : 1 + upTo(3);
  const load = 10 ** (1 + 3 * next());
  const termsUs = keys.map(() => (next() < 0.7 ? TERM : 100_000 + upTo(900_000)));
  const requestsOf = (): PoolRequest[] =>
    termsUs.map((termUs) => ({
      termUs,
      cost: next() < 0.9 ? 1 : upTo(4),
      credit,
      keepUs: 3 * TERM,
      plenty: next() < 0.5 ? 50 : Number.MAX_SAFE_INTEGER,
      ceiling: next() < 0.9 ? 1_000 : 0,
      deniedHere: next() < 0.9 ? 0 : upTo(20),
    }));
  const counted: Record<string, number> = {};
  const count = (name: string, times = 1) => (counted[name] = (counted[name] ?? 0) + times);
  const answers: { reply: SpendReply; requests: PoolRequest[] }[] = [];
  const brought: (readonly [readonly Delivery[], number])[] = [];

  function deliveriesOf({ reply, requests }: (typeof answers)[number]): Delivery[] {
    const isShort = next() < 0.1;
    const isDenied = next() < 0.3;
    return reply.pools.map((pool, i): Delivery => {
      const left = isShort ? 0 : next() < 0.1 ? -1 : upTo(100);
      return {
        termUs: termsUs[i]!,
        atUs: pool.atUs,
        isClaimed: pool.isClaimed,
        units: isShort || !pool.isClaimed ? 0 : upTo(pool.order.most),
        lifeUs: next() < 0.8 ? termsUs[i]! : upTo(termsUs[i]!),
        left,
        againUs: left === 0 ? upTo(2 * TERM) : 0,
        resetUs: upTo(4 * TERM),
        paid: pool.order.owed,
        keepUs: requests[i]!.keepUs,
        back: isDenied && pool.state === 0 ? requests[i]!.cost : 0,
        backUntilUs: pool.spentUntilUs,
      };
    });
  }

  for (let step = 0; step < 100; step++) {
    now += 1 + Math.floor((-Math.log(1 - next()) * TERM) / (next() < 0.95 ? load : 0.3));
    if (next() < 0.01) [now] = [now - 3_600e6, count("steps back")];
    if (next() < 0.01) {
      memory.forget(keys);
      await scripts.forget(keys);
      count("flushes");
    }
    if (next() < 0.6 || answers.length === 0) {
      const requests = requestsOf();
      const [reply, expected] = [memory.spend(keys, requests), await scripts.spend(keys, requests)];
      expect(reply).toEqual(expected);
      answers.push({ reply, requests });
      for (const { state, isClaimed } of reply.pools) {
        count(`state ${state}`);
        count("claims", Number(isClaimed));
      }
      count("expired", reply.unspent);
    } else {
      const isRepeated = brought.length > 0 && next() < 0.2;
      const late = next() < 0.2 ? upTo(answers.length - 1) : answers.length - 1;
      const [deliveries, id] = isRepeated
        ? brought.at(-1 - upTo(Math.min(3, brought.length - 1)))!
        : [deliveriesOf(answers[late]!), 1 + upTo(2 ** 40)];
      const reply = memory.put(keys, deliveries, id);
      expect(reply).toEqual(await scripts.put(keys, deliveries, id));
      brought.push([deliveries, id]);
      count("put units", deliveries.reduce((sum, { units }) => sum + units, 0) - reply.unspent);
      count("lost claims", reply.lostClaims);
      count("given back", deliveries.filter(({ back }) => back > 0).length);
    }
  }
  return counted;
}

test("an object answers as the scripts do, call by call", async () => {
  const all: Record<string, number> = {};
  for (let seed = 1; seed <= runs(150); seed++) {
    for (const [name, times] of Object.entries(await compare(seed))) {
      all[name] = (all[name] ?? 0) + times;
    }
  }
  // Each kind of event was tried.
  const kinds = ["claims", "expired", "flushes", "given back", "lost claims", "put units"];
  const states = [0, 1, 2, 3, 4].map((state) => `state ${state}`);
  for (const kind of [...kinds, ...states, "steps back"])
    expect(all[kind], kind).toBeGreaterThan(0);
});

const REQUEST: PoolRequest = {
  termUs: TERM,
  cost: 1,
  credit: 0,
  keepUs: TERM,
  plenty: Number.MAX_SAFE_INTEGER,
  ceiling: 100,
  deniedHere: 1,
};

const deliveryAt = (atUs: number, units: number): Delivery => ({
  termUs: TERM,
  atUs,
  isClaimed: true,
  units,
  lifeUs: TERM,
  left: 100,
  againUs: 0,
  resetUs: 0,
  paid: 0,
  keepUs: TERM,
  back: 0,
  backUntilUs: 0,
});

test("two claims within one moment of the clock have two times", () => {
  const memory = createMemoryPools(() => START);
  const claim = () => memory.spend(["k"], [REQUEST]).pools[0]!;
  const { atUs } = claim();
  expect(memory.put(["k"], [deliveryAt(atUs, 1)], 1)).toEqual({ unspent: 0, lostClaims: 0 });
  expect(claim()).toMatchObject({ state: 0, isClaimed: true });
  // The same units again, under the claim of another.
  expect(memory.put(["k"], [deliveryAt(atUs, 1)], 1)).toEqual({ unspent: 1, lostClaims: 1 });
});

test("a clock that goes back takes the units of every pool, whichever is asked", () => {
  let now = START;
  const memory = createMemoryPools(() => now);
  const stateOf = (key: string) => memory.spend([key], [REQUEST]).pools[0]!.state;
  const { atUs } = memory.spend(["k"], [REQUEST]).pools[0]!;
  memory.put(["k"], [deliveryAt(atUs, 9)], 1);
  now += 500_000;
  expect(stateOf("k")).toBe(0);
  now += 300_000;
  stateOf("other");
  // To after the last call about `k`: of its pool alone this could not be seen.
  now -= 200_000;
  expect(stateOf("k")).toBe(3);
});
