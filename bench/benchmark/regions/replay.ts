import { AsyncLocalStorage } from "node:async_hooks";

import { sum } from "d3-array";

import { EVERY_FEATURE } from "../../../src/features/every-feature.ts";
import { buildLimiter } from "../../../src/limiter/limiter.ts";
import { ALL_SCRIPTS } from "../../../src/store/redis/all-scripts.ts";
import { redisStore, scriptRunner } from "../../../src/store/redis/store.ts";
import { openPools, type Pools } from "../../../src/store/region/pools.ts";
import { type HomeStore, regionalStore } from "../../../src/store/region/regional-store.ts";
import type { Store } from "../../../src/store/store.ts";
import type { Admission } from "../../../test/support/model/trailing-window.ts";
import { installTimers, virtualTime } from "../../../test/support/virtual-time.ts";
import { random } from "../trips/workload.ts";
import type { Way } from "./names.ts";
import { arrivalsOf, HOME_MS, NEARBY_MS, type Scene } from "./scenes.ts";
import { settingsOf } from "./settings.ts";
import type { StandingRedis } from "./standing-redis.ts";

export interface Servers {
  readonly home: StandingRedis;
  readonly regions: readonly StandingRedis[];
}

export interface Decided {
  readonly region: number;
  readonly tookMs: number;
  readonly allowed: boolean;
}

export interface Outcome {
  /** After the warm-up. */
  readonly decided: readonly Decided[];
  /** By identity, from the start on, at the times of the store that counted them, in order. */
  readonly admissions: ReadonlyMap<string, readonly Admission[]>;
  /** How many of them were counted after the warm-up, and before the last request came. */
  readonly admitted: number;
  /** Calls and billed commands per decision, after the warm-up. */
  readonly homeCalls: number;
  readonly regionCalls: number;
  readonly commands: number;
}

/** Microseconds later than any real clock, and on no boundary. */
const START = 4_000_000_000_123_457;
/** By how much a region's clock is wrong at most, in microseconds, and as a share of the time that passes. */
const OFFSET = 14e6;
const PACE = 2e-4;
/** By how much a trip may be shorter or longer. */
const JITTER = 0.05;

/** Plays the requests of a scene to isolates in five regions, in virtual time, with the scripts on real servers. */
export async function replay(scene: Scene, way: Way, servers: Servers): Promise<Outcome> {
  const { home, regions } = servers;
  await Promise.all([home, ...regions].map((server) => server.clear()));
  const time = virtualTime(START);
  const next = random(2);
  /** When the request that is being decided was counted last. */
  const counted = new AsyncLocalStorage<{ at?: number }>();
  const trip = (ms: number) =>
    time.pass(Math.floor((ms / 2) * 1e3 * (1 - JITTER + 2 * JITTER * next())));

  /** Runs a script after one half of a trip, and answers after the other. */
  async function distant<Answer>(
    ms: number,
    run: () => Promise<Answer>,
    hasCounted: (answer: Answer) => boolean = () => true,
  ): Promise<Answer> {
    await trip(ms);
    const answer = await time.hold(run());
    const own = counted.getStore();
    if (own && hasCounted(answer)) own.at = time.now();
    await trip(ms);
    return answer;
  }

  function distantStore(server: StandingRedis, ms: number, now = () => time.now()): HomeStore {
    const store = redisStore(server.client(now), ALL_SCRIPTS) as HomeStore;
    return {
      ...store,
      decide: (...asked) =>
        distant(
          ms,
          async () => store.decide(...asked),
          ({ leased }) => leased !== 0,
        ),
      take: (...asked) => distant(ms, () => store.take(...asked)),
    };
  }

  function regionClock(): () => number {
    const [offset, pace] = [(2 * next() - 1) * OFFSET, 1 + (2 * next() - 1) * PACE];
    return () => Math.floor(START + offset + (time.now() - START) * pace);
  }

  function nearbyStore(server: StandingRedis, far: HomeStore, clock: () => number): Store {
    const pools = openPools(scriptRunner(server.client(clock), { firstLine: "" }));
    return regionalStore({
      home: far,
      pools: {
        spend: (...asked) => distant(NEARBY_MS, () => pools.spend(...asked)),
        put: (...brought) =>
          distant(
            NEARBY_MS,
            () => pools.put(...brought),
            () => false,
          ),
      } satisfies Pools,
      // Home is never gone.
      alone: far,
      forget: async () => {},
      now: () => time.now() / 1000,
    });
  }

  const settings = { ...settingsOf(scene, way), now: () => time.now() / 1000, random: next };
  const limiters = regions.map((server, i) => {
    const far = distantStore(home, HOME_MS[i]!);
    const clock = regionClock();
    return Array.from({ length: scene.isolates }, () => {
      const store =
        way === "region"
          ? nearbyStore(server, far, clock)
          : way === "a limit per region"
            ? distantStore(server, NEARBY_MS)
            : far;
      return buildLimiter(store, settings, EVERY_FEATURE);
    });
  });

  const decided: Decided[] = [];
  const admissions = new Map<string, Admission[]>();
  let before: Counted = { home: { calls: 0, commands: 0 }, nearby: { calls: 0, commands: 0 } };
  const countAll = async (): Promise<Counted> => {
    const [atHome, ...others] = await Promise.all([home, ...regions].map((each) => each.count()));
    const [calls, commands] = [
      sum(others, (each) => each.calls),
      sum(others, (each) => each.commands),
    ];
    return { home: atHome!, nearby: { calls, commands } };
  };
  time.at(START + scene.warmUp * 1e6, () =>
    time.hold(countAll().then((counts) => (before = counts))),
  );
  const arrivals = arrivalsOf(scene);
  function follow(): void {
    const { done, value } = arrivals.next();
    if (done) return;
    const { at, identity, region, isolate } = value;
    time.at(START + at, async () => {
      follow();
      const own: { at?: number } = {};
      const { allowed } = await counted.run(own, () => limiters[region]![isolate]!.limit(identity));
      if (allowed) {
        const list = admissions.get(identity) ?? [];
        list.push({ time: own.at ?? time.now(), units: 1 });
        admissions.set(identity, list);
      }
      if (at < scene.warmUp * 1e6) return;
      decided.push({ region, tookMs: (time.now() - START - at) / 1e3, allowed });
    });
  }
  follow();
  const { now } = Date;
  const restoreTimers = installTimers(time);
  Date.now = () => Math.floor(time.now() / 1000);
  try {
    await time.run();
  } finally {
    Date.now = now;
    restoreTimers();
  }
  for (const list of admissions.values()) list.sort((a, b) => a.time - b.time);
  const from = START + scene.warmUp * 1e6;
  const to = from + scene.seconds * 1e6;
  const counts = await countAll();
  const perDecision = (of: (counted: Counted) => number) =>
    (of(counts) - of(before)) / decided.length;
  return {
    decided,
    admissions,
    admitted: sum(
      admissions.values(),
      (list) => list.filter((each) => each.time >= from && each.time < to).length,
    ),
    homeCalls: perDecision((counted) => counted.home.calls),
    regionCalls: perDecision((counted) => counted.nearby.calls),
    commands: perDecision((counted) => counted.home.commands + counted.nearby.commands),
  };
}

type Counts = Awaited<ReturnType<StandingRedis["count"]>>;

/** The counts of home and the regions. */
interface Counted {
  readonly home: Counts;
  readonly nearby: Counts;
}
