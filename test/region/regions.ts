import type { Redis } from "ioredis";

import { StoreError } from "../../src/options/errors.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import type { RedisClient } from "../../src/store/redis/client.ts";
import { scriptRunner } from "../../src/store/redis/store.ts";
import {
  HOME_DECIDES,
  MISSING,
  openPools,
  type Pools,
  type SpendReply,
} from "../../src/store/region/pools.ts";
import { type HomeStore, regionalStore } from "../../src/store/region/regional-store.ts";
import type { Admission } from "../support/model/trailing-window.ts";
import { random } from "../support/random.ts";
import { clientWithClock, storeWithClock } from "../support/redis-with-clock.ts";
import { type VirtualTime, virtualTime } from "../support/virtual-time.ts";

/** Regions around one home, all on a real Redis: each has its own keys, its own clock and its own troubles. */
export interface WorldOptions {
  readonly seed: number;
  readonly regions: number;
  /** As home enforces them. */
  readonly policies: readonly CompiledPolicy[];
  /** How long requests keep coming, in microseconds. */
  readonly span: number;
  readonly trouble: boolean;
  /** Whether regions keep their memory: where they admit on credit, a region without it counts as one more. */
  readonly remembers: boolean;
  /** How requests arrive. Default: they come and go about as fast as terms do. */
  readonly demand?: Demand;
}

/** Draws the moments of requests within a span, in microseconds, in order. */
export type Demand = (
  next: () => number,
  span: number,
  policies: readonly CompiledPolicy[],
  arrive: (at: number) => void,
) => void;

/** As many requests all the time, by this share of what the first policy admits. */
export const steady =
  (load: number): Demand =>
  (next, span, [policy], arrive) => {
    const gapUs = policy!.windowUs / policy!.limit / load;
    const gap = () => -Math.log(1 - next()) * gapUs;
    for (let at = gap(); at < span; at += gap()) arrive(Math.floor(at));
  };

export interface World {
  /** For each policy, what was admitted, at the times of the store that counted it. */
  readonly admissions: readonly (readonly Admission[])[];
  /** How many requests a region decided by itself, how many waited for home, and how many calls were repeated. */
  readonly nearby: number;
  readonly waited: number;
  readonly repeated: number;
}

/** Later than any real clock, by which keys expire, and on no boundary. */
const START = 4_000_000_000_123_457;

/** Microseconds after which a call is given up. */
const BUDGET = 250_000;

/** No region's clock is slower or faster than the margin allows. */
const PACE = 4e-4;

/** What a request saw, by which its units are dated. */
interface Seen {
  spend?: SpendReply;
  spentAt?: number;
  homeAt?: number;
}

export async function world(redis: Redis, options: WorldOptions): Promise<World> {
  const { seed, regions, policies, span, trouble, remembers, demand = restless } = options;
  const next = random(seed);
  const time = virtualTime(START);
  const story = crypto.randomUUID();
  const keys = policies.map(({ key }, i) => `tg:{${story}}:${i}:${key}`);
  const home = storeWithClock(redis, () => time.now()) as HomeStore;
  const network = networkOf(
    time,
    next,
    trouble,
    Math.max(...policies.map((policy) => policy.region!.termUs)),
  );
  const isHomeDead = outages(next, trouble, span);
  const admissions: Admission[][] = policies.map(() => []);
  let nearby = 0;
  let waited = 0;

  function openRegion(index: number) {
    const prefix = `r${index}:`;
    const pace = 1 + (2 * next() - 1) * PACE;
    const offset = Math.floor((2 * next() - 1) * 500e6);
    let stepped = 0;
    const clock = () => START + offset + stepped + Math.floor((time.now() - START) * pace);
    const prefixed: RedisClient["eval"] = (script, names, args) =>
      redis.eval(lasting(script), names.length, ...names.map((name) => prefix + name), ...args);
    const pools = openPools(scriptRunner(clientWithClock(prefixed, clock), { firstLine: "" }));
    if (trouble && next() < 0.3) {
      // Back by so much that the region sees it, or forwards.
      const by = next() < 0.5 ? -3_600_000_000 : 2_000_000;
      time.at(START + Math.floor(next() * span), () => (stepped += by));
    }
    for (let flushes = trouble && !remembers ? Math.floor(3 * next()) : 0; flushes > 0; flushes--) {
      const names = keys.map((key) => `${prefix}${key}:region`);
      time.at(START + Math.floor(next() * span), () => void time.hold(redis.del(...names)));
    }
    return {
      pools,
      isDead: outages(next, trouble, span),
      trip: 500 + next() * 2_000,
      home: 10_000 + next() * 80_000,
    };
  }

  /** The store of one request, which notes what the request sees. */
  function storeFor(region: ReturnType<typeof openRegion>, seen: Seen) {
    const nearbyCall = <Of>(run: () => Promise<Of>) =>
      network.call(region.trip, region.isDead, run);
    const homeCall = <Of>(run: () => Promise<Of>) => network.call(region.home, isHomeDead, run);
    const dated = <Of>(run: () => Promise<Of>) => {
      const at = time.now();
      return run().then((reply) => ({ reply, at }));
    };
    const pools: Pools = {
      async spend(...asked) {
        const { reply, at } = await nearbyCall(() => dated(() => region.pools.spend(...asked)));
        [seen.spend, seen.spentAt] = [reply, at];
        return reply;
      },
      put: (...brought) => nearbyCall(() => region.pools.put(...brought)),
    };
    const noted = async <Of>(run: () => Promise<Of>) => {
      const { reply, at } = await homeCall(() => dated(run));
      seen.homeAt = at;
      return reply;
    };
    const distant: HomeStore = {
      ...home,
      decide: (...asked) => noted(async () => home.decide(...asked)),
      take: (...asked) => noted(() => home.take(...asked)),
    };
    return regionalStore({
      home: distant,
      pools,
      alone: { decide: () => Promise.reject(new StoreError("ERR_STORE_UNREACHABLE", "gone")) },
      forget: async () => {},
      now: () => time.now() / 1000,
    });
  }

  async function arrive(region: ReturnType<typeof openRegion>): Promise<void> {
    const costs = policies.map(() => (next() < 0.9 ? 1 : 1 + Math.floor(next() * 3)));
    const seen: Seen = {};
    try {
      const { rows } = await storeFor(region, seen).decide("consume", keys, costs, policies);
      const { spend, spentAt, homeAt } = seen;
      const isForHome = spend?.verdict === HOME_DECIDES;
      if (isForHome || !spend) waited++;
      else nearby++;
      if (!rows.every(({ allowed }) => allowed)) return;
      policies.forEach((_, i) => {
        const isOfHome = !spend || (isForHome && spend.pools[i]!.state === MISSING);
        admissions[i]!.push({ time: (isOfHome ? homeAt : spentAt)!, units: costs[i]! });
      });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }

  const all = Array.from({ length: regions }, (_, i) => openRegion(i));
  demand(next, span, policies, (at) => {
    const region = all[Math.floor(next() * regions)]!;
    time.at(START + at, () => arrive(region));
  });
  await time.run();
  await redis.del(...all.flatMap((_, i) => keys.map((key) => `r${i}:${key}:region`)), ...keys);
  return {
    admissions: admissions.map((list) => list.toSorted((a, b) => a.time - b.time)),
    nearby,
    waited,
    repeated: network.repeated(),
  };
}

/** A script whose keys outlive the story, because they expire by the time of the server. */
function lasting(script: string): string {
  const kept = script.replace("'PX',", "'PX',1e6+");
  if (kept === script) throw new Error("the script keeps its keys in another way");
  return kept;
}

/** Requests that come and go about as fast as terms do: units are hoarded, held to their last moment, and spent at once. */
const restless: Demand = (next, span, policies, arrive) => {
  const { region, limit, windowUs } = policies[0]!;
  const { termUs } = region!;
  const even = (limit * termUs) / windowUs;
  let from = 0;
  while (from < span) {
    const kind = next();
    // In terms, and in requests per term.
    const [length, rate] =
      kind < 0.35
        ? [1 + 2 * next(), even * (0.5 + next())]
        : kind < 0.55
          ? [0.2 + next(), 0]
          : kind < 0.8
            ? [0.1 + 0.4 * next(), even * (5 + 20 * next())]
            : [2 * next(), even * 4 * next()];
    const to = Math.min(span, from + length * termUs);
    if (rate > 0) {
      const gap = () => (-Math.log(1 - next()) * termUs) / rate;
      for (let at = from + gap(); at < to; at += gap()) arrive(Math.floor(at));
    }
    from = to;
  }
};

/** Calls that arrive late, twice or never, and answers that are lost. */
function networkOf(time: VirtualTime, next: () => number, trouble: boolean, termUs: number) {
  let repeated = 0;
  const lost = async (): Promise<never> => {
    await time.pass(BUDGET);
    throw new StoreError("ERR_STORE_TIMEOUT", "lost");
  };
  return {
    repeated: () => repeated,
    async call<Of>(
      distance: number,
      isDead: (at: number) => boolean,
      run: () => Promise<Of>,
    ): Promise<Of> {
      const fate = trouble ? next() : 1;
      if (fate < 0.02 || isDead(time.now() - START)) return lost();
      const again = () => {
        repeated++;
        void time.hold(run());
      };
      if (fate < 0.04) {
        time.at(time.now() + Math.floor(3 * termUs * next()), again);
        return lost();
      }
      await time.pass(Math.floor(distance * (0.8 + 0.4 * next())));
      const answer = await time.hold(run());
      if (fate < 0.06) return lost();
      if (fate < 0.12) time.at(time.now() + Math.floor(3 * termUs * next() ** 2), again);
      await time.pass(Math.floor(distance * (fate < 0.16 ? 5 : 1)));
      return answer;
    },
  };
}

/** Some spans in which a server gives no answer. */
function outages(next: () => number, trouble: boolean, span: number): (at: number) => boolean {
  if (!trouble || next() < 0.6) return () => false;
  const from = next() * span;
  const to = from + next() * 0.3 * span;
  return (at) => at >= from && at < to;
}
