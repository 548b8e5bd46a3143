import { expect, test } from "vitest";

import { tightenForRegion } from "../../src/policy/tighten.ts";
import { scriptRunner } from "../../src/store/redis/store.ts";
import { createMemoryPools } from "../../src/store/region/memory-pools.ts";
import { poolsPerPartition } from "../../src/store/region/pools-per-partition.ts";
import { openPools, type Pools } from "../../src/store/region/pools.ts";
import { type HomeStore, regionalStore } from "../../src/store/region/regional-store.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { tokenBucket } from "../support/limiter/plain.ts";
import { random } from "../support/random.ts";
import { redisWithClock, storeWithClock } from "../support/redis-with-clock.ts";
import { some } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";
import { virtualTime } from "../support/virtual-time.ts";

/* A hot identity of one region: what a decision costs with an object, and with a Redis, in virtual time. */

const redis = testRedis();
const START = Date.UTC(2099, 0, 1) * 1000;
const RATE = 500;
const SECONDS = 6;
const NEARBY_US = 1_000;
const HOME_US = 30_000;

const policy = tightenForRegion(
  compilePolicy(tokenBucket({ name: "hot", limit: 2 * RATE, refill: RATE, per: "1s" })),
  { termUs: 1e6, credit: 0, reserve: 0 },
);

/** The calls for each decision, after a warm-up of two seconds. */
async function figuresOf(place: "redis" | "object", load: number) {
  const time = virtualTime(START);
  const next = random(7);
  const counted = { decisions: 0, allowed: 0, spend: 0, put: 0, home: 0 };
  const count = (what: keyof typeof counted, times = 1) => {
    if (time.now() > START + 2e6) counted[what] += times;
  };
  async function distant<Answer>(us: number, run: () => Answer | Promise<Answer>): Promise<Answer> {
    await time.pass(us);
    const answer = await time.hold(Promise.resolve(run()));
    await time.pass(us);
    return answer;
  }
  const now = () => time.now();
  const memory = createMemoryPools(now);
  let id = 0;
  const inner: Pools =
    place === "redis"
      ? openPools(scriptRunner(redisWithClock(redis, now), { firstLine: "" }))
      : {
          spend: async (...asked) => memory.spend(...asked),
          put: async (...brought) => memory.put(...brought, ++id),
        };
  const pools = poolsPerPartition({
    spend(...asked) {
      count("spend");
      return distant(NEARBY_US, () => inner.spend(...asked));
    },
    put(...brought) {
      count("put");
      return distant(NEARBY_US, () => inner.put(...brought));
    },
  });
  const far = storeWithClock(redis, now) as HomeStore;
  const home: HomeStore = {
    ...far,
    take(...asked) {
      count("home");
      return distant(HOME_US, () => far.take(...asked));
    },
  };
  const store = regionalStore({
    home,
    pools,
    alone: home,
    forget: async () => {},
    now: () => time.now() / 1000,
  });
  const key = `tg:{${crypto.randomUUID()}}:${policy.key}`;
  let at = START;
  while ((at += (-Math.log(1 - next()) * 1e6) / RATE / load) < START + SECONDS * 1e6) {
    time.at(Math.floor(at), async () => {
      count("decisions");
      const { rows } = await store.decide("consume", [key], [1], [policy]);
      count("allowed", Number(rows[0]!.allowed));
    });
  }
  await time.run();
  return counted;
}

test.each(some([0.3, 0.9, 1.4]))(
  "at %d times the limit a decision takes one call of an object, as many as of a Redis",
  async (load) => {
    const figures = await figuresOf("object", load);
    const { decisions, allowed, spend, put, home } = figures;
    expect(spend).toBe(decisions);
    expect((spend + put) / decisions).toBeLessThan(1.03);
    expect(home / decisions).toBeLessThan(0.03);
    expect(await figuresOf("redis", load)).toEqual(figures);
    expect(allowed / decisions).toBeGreaterThan(load < 1 ? 0.99 : 0.6);
  },
);
