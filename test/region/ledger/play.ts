import { AsyncLocalStorage } from "node:async_hooks";

import type { Redis } from "ioredis";

import type { Decision } from "../../../src/decide/decision.ts";
import { HOME_DECIDES, MISSING, SPENT } from "../../../src/store/region/pools.ts";
import { random } from "../../support/random.ts";
import { virtualTime } from "../../support/virtual-time.ts";
import { type Books, type Era, openBooks } from "./books.ts";
import { START } from "./clocks.ts";
import { type Isolate, openIsolate, settingsOf } from "./isolate.ts";
import { BUDGET, networkOf } from "./network.ts";
import { openServer } from "./open-server.ts";
import { promisesOf, shareOf } from "./promises.ts";
import { type Seen, storesOf } from "./stores.ts";
import type { Arrival, Region, Story } from "./story.ts";

export interface Outcome {
  readonly books: Books;
  /** What happened, and how often: calls and reasons, units by the store that decided them, faults of the world. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Plays a story to the isolates of all its regions, with the scripts on a real Redis. */
export async function play(redis: Redis, story: Story): Promise<Outcome> {
  const time = virtualTime(START);
  const counts = new Map<string, number>();
  const count = (what: string, times = 1) => counts.set(what, (counts.get(what) ?? 0) + times);
  const books = openBooks();
  const requests = new AsyncLocalStorage<Seen>();
  const lateUs = 3 * story.termMs * 1000;
  const network = networkOf(time, random(story.seed + 1), story.trouble, lateUs);
  const { nameOf, promiseOf } = promisesOf(story);

  let alive = story.versions.slice(0, 1);
  const server = { redis, time, count };
  const home = openServer({ ...server, kind: "home" }, story.home, (key) => promiseOf(key, alive));
  if (story.changeAt !== undefined) {
    const change = (versions: typeof alive) => () => {
      alive = versions;
      home.eras.endAll();
      count("changed");
    };
    time.at(START + story.changeAt, change(story.versions.slice()));
    // By then the last call of an earlier version has arrived.
    time.at(START + story.changeAt + 2 * BUDGET + lateUs, change(story.versions.slice(1)));
  }

  const now = () => time.now() / 1000;
  const versions = settingsOf(story, now);
  const [plain] = settingsOf(story, now, true);

  function openRegion(region: Region, index: number) {
    const shared = (key: string) => shareOf(promiseOf(key, story.versions), story.stores);
    const { flush, isDead, ...nearby } = openServer(
      { ...server, kind: story.hasObjects ? "objects" : "region" },
      region,
      shared,
    );
    const storeFor = storesOf({
      time,
      network,
      requests,
      books,
      home: { ...home, way: { distance: region.homeUs, isDead: home.isDead } },
      nearby: { ...nearby, way: { distance: region.nearbyUs, isDead } },
      poolOf: (key) => `${index} ${key}`,
    });
    const open = () => openIsolate(story, versions, plain!, storeFor);
    return { flush, open, isolates: Array.from({ length: story.isolates }, open) };
  }

  const regions = story.regions.map(openRegion);
  for (const { at, region, isolate } of story.deaths) {
    time.at(START + at, () => {
      const { isolates, open } = regions[region]!;
      isolates[isolate]!.caller.isDead = true;
      isolates[isolate] = open();
      count("death");
    });
  }

  async function arrive(arrival: Arrival): Promise<void> {
    const { region, isolate, at, isPlain } = arrival;
    const seen: Seen = { back: new Map() };
    const target: Isolate = regions[region]!.isolates[isolate]!;
    const decision = await requests.run(seen, () =>
      ask(isPlain ? target.plain : target.limiterAt(at), arrival),
    );
    count(arrival.kind);
    if (!decision) return;
    count(decision.reason);
    if (seen.spend) count(seen.spend.reply.verdict === HOME_DECIDES ? "waited" : "nearby");
    if (decision.allowed && arrival.kind !== "peek" && arrival.kind !== "charge") {
      note(decision, arrival, seen);
    }
  }

  async function ask(
    limiter: ReturnType<Isolate["limiterAt"]>,
    { kind, identity, plan, cost }: Arrival,
  ): Promise<Decision | undefined> {
    if (kind === "reset") {
      // It is confirmed, or fails.
      await limiter.reset(identity).catch(() => {});
      return undefined;
    }
    if (kind === "charge") return limiter.charge(identity, 1, { plan });
    if (kind !== "reserve") return limiter[kind](identity, { plan, cost });
    const hold = await limiter.reserve(identity, { plan, cost });
    await hold.release();
    return hold;
  }

  /** Enters what passed, by the store that decided each policy. */
  function note({ reason }: Decision, { region, cost }: Arrival, seen: Seen): void {
    const { spend, home: atHome, alone, back } = seen;
    if (reason === "store-unavailable") {
      alone?.keys.forEach((key, i) => enter("alone", alone.at, alone.eras[i]!, unitsOf(key, cost)));
      return;
    }
    const { keys } = (spend ?? atHome)!;
    keys.forEach((key, i) => {
      const state = spend?.reply.pools[i]!.state;
      const units = unitsOf(key, cost) - (back.get(key) ?? 0);
      if (!spend || (spend.reply.verdict === HOME_DECIDES && state === MISSING)) {
        const place = atHome!.keys.indexOf(key);
        enter("home", atHome!.at, atHome!.eras[place]!, units);
      } else {
        const { at, era } = spend.counted.get(key)!;
        if (state === SPENT) enter("region", at, era, units, `${region} ${key}`);
        else enter("credit", at, era, units);
      }
    });
    if (back.size > 0) count("given-back");
  }

  function enter(by: string, at: number, era: Era, units: number, pool?: string): void {
    count(`by-${by}`, units);
    books.passed({ at, era, units, pool });
  }

  const unitsOf = (key: string, cost: Arrival["cost"]) => cost[nameOf(key) ?? ""] ?? 1;

  for (const arrival of story.arrivals) time.at(START + arrival.at, () => arrive(arrival));
  await time.run();
  await Promise.all([home.flush(), ...regions.map(({ flush }) => flush())]);
  count("repeated", network.repeated());
  return { books, counts };
}
