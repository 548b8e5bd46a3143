import { AsyncLocalStorage } from "node:async_hooks";

import { openMemoryStore } from "../../src/store/memory-store.ts";
import {
  createLimiter,
  type Decision,
  type Limiter,
  type Policy,
  type Store,
  StoreError,
} from "../support/limiter/plain.ts";
import type { Admission } from "../support/model/trailing-window.ts";
import { random } from "../support/random.ts";
import { installTimers, type VirtualTime, virtualTime } from "../support/virtual-time.ts";

export interface CrowdOptions {
  readonly seed: number;
  readonly isolates: number;
  readonly policy: Policy;
  /** Other policies that count the same identity. */
  readonly others?: readonly Policy[];
  /** Whether isolates take leases, too. Then nothing tells which call has counted a request that was admitted ahead. */
  readonly lease?: "auto";
  /** How long most calls are under way, in one direction, in microseconds at most. Default: 40,000. */
  readonly wayUs?: number;
  /** Numbers of a plan that requests are under now and then. */
  readonly plan?: Readonly<Record<string, number>>;
  /** How long requests keep coming, in microseconds. */
  readonly span: number;
  /** Whether calls are lost and late, isolates end, their clocks step, and the identity is reset now and then. */
  readonly trouble: boolean;
  /** A layer between an isolate and the store, to plant mistakes. */
  readonly mistaken?: (store: Store) => Store;
}

export interface Crowd {
  /**
   * In order of time: when the store took the units of a request that asked it, and when others were admitted ahead of it. With leases
   * also those that the store never counted.
   */
  readonly admissions: readonly Admission[];
  /** How many isolates admitted anything ahead of the store. */
  readonly hopeful: number;
  /** Requests that were admitted ahead of the store. */
  readonly ahead: number;
  /** Requests that were admitted from units that an isolate held. */
  readonly held: number;
  /** Of their units, those that the store never counted, and the calls and isolates that were lost. */
  readonly lost: number;
  readonly losses: number;
  /** When the store executed a reset. */
  readonly resets: readonly number[];
  /** Denials for which the store had room at that moment, before the first reset. */
  readonly wrongDenials: number;
  /** Units that were charged without an admission. */
  readonly overcharged: number;
}

/** Later than any real clock, and on no boundary. */
const START = 4_000_000_000_123_457;

/** The units that one isolate admitted ahead of the store, and the calls that were to count them, both in order. */
interface Book {
  readonly admitted: Admission[];
  readonly charges: { readonly units: number; isCounted: boolean }[];
}

/** Isolates that admit one identity ahead of a store that is far away. */
export async function crowd(options: CrowdOptions): Promise<Crowd> {
  const time = virtualTime(START);
  const restore = installTimers(time);
  try {
    return await runCrowd(options, time);
  } finally {
    restore();
  }
}

async function runCrowd(options: CrowdOptions, time: VirtualTime): Promise<Crowd> {
  const { seed, isolates, policy, others = [], plan, span, trouble } = options;
  const { lease, wayUs = 40_000, mistaken = (store) => store } = options;
  const next = random(seed);
  const model = openMemoryStore({ now: () => time.now() });
  const admissions: Admission[] = [];
  const resets: number[] = [];
  const books: Book[] = [];
  let [losses, wrongDenials, held] = [0, 0, 0];
  let last: Parameters<Store["decide"]> | undefined;
  /** When the request that is being decided was debited by a call of its own. */
  const own = new AsyncLocalStorage<{ debitedAt?: number }>();

  const travel = () => {
    const late = trouble && next() < 0.05;
    return time.pass(200 + Math.floor(next() * (late ? 5e6 : next() < 0.1 ? 300_000 : wayUs)));
  };

  function isolate(): { limiter: Limiter; end(): void; admitted: Admission[] } {
    const book: Book = { admitted: [], charges: [] };
    books.push(book);
    let ended = false;
    let stepped = 0;
    if (trouble && next() < 0.5) {
      const step = (by: number) => () => void (stepped += by);
      time.at(START + Math.floor(next() * span), step(-3_600_000_000));
      time.at(START + Math.floor(next() * span), step(next() < 0.5 ? 7_200_000_000 : -60_000_000));
    }
    const began = Math.floor(next() * 1e12);

    const distant: Store = {
      now: () => time.now() + began + stepped,
      async decide(...request) {
        const mine = own.getStore();
        const [operation, , [cost]] = request;
        const charge = { units: cost!, isCounted: false };
        if (operation === "charge") book.charges.push(charge);
        if (ended) return new Promise(() => {});
        await travel();
        if (trouble && next() < 0.03) {
          losses++;
          throw new StoreError("ERR_STORE_TIMEOUT", "lost");
        }
        last = request;
        const reply = await model.decide(...request);
        charge.isCounted = true;
        const { leased = Number(reply.rows.every(({ allowed }) => allowed)) } = reply;
        if (mine && leased > 0) mine.debitedAt = time.now();
        await travel();
        if (ended) return new Promise(() => {});
        if (trouble && next() < 0.03) throw new StoreError("ERR_STORE_TIMEOUT", "lost");
        return reply;
      },
      async reset(keys) {
        await travel();
        await model.reset(keys);
        resets.push(time.now());
        await travel();
      },
    };
    const limiter = createLimiter({
      store: mistaken(distant),
      policies: [policy, ...others],
      onFailure: "closed",
      ...(lease && { lease }),
      ...(plan && { plans: { gold: { [policy.name!]: plan } } }),
    });
    return {
      limiter,
      admitted: book.admitted,
      end: () => {
        ended = true;
        losses++;
      },
    };
  }

  async function check({ reason }: Decision, cost: number): Promise<void> {
    // A reset does not reach the denials that other isolates know, and a plan has denials of its own.
    if (reason !== "cached-denial" || !last || plan || resets.length > 0) return;
    const [, keys, , policies] = last;
    const { rows } = await model.decide("peek", keys, [cost], policies);
    if (rows.every(({ allowed }) => allowed)) wrongDenials++;
  }

  async function arrive(place: number): Promise<void> {
    const { limiter, admitted } = living[place]!;
    const cost = next() < 0.9 ? 1 : 2 + Math.floor(next() * 4);
    const mine: { debitedAt?: number } = {};
    const under = plan && next() < 0.5 && { plan: "gold" };
    const decision = await own.run(mine, () => limiter.limit("hot", { cost, ...under }));
    if (decision.reason === "optimistic") {
      admitted.push({ time: time.now(), units: cost });
    } else if (decision.reason === "allowed" && (lease ?? mine.debitedAt) !== undefined) {
      if (mine.debitedAt === undefined) held++;
      admissions.push({ time: mine.debitedAt ?? time.now(), units: cost });
    } else await check(decision, cost);
  }

  const living = Array.from({ length: isolates }, isolate);
  const gap = (rate: number) => -Math.log(1 - next()) / rate;
  let from = 0;
  /** Demand from now on, `rateOf` requests per second on each isolate; 0 for none. */
  function demand(length: number, rateOf: () => number): void {
    const to = from + length;
    living.forEach((_, place) => {
      const rate = rateOf() / 1e6;
      if (rate === 0) return;
      for (let at = from + gap(rate); at < to; at += gap(rate)) {
        time.at(START + Math.floor(at), () => arrive(place));
      }
    });
    from = to;
  }
  while (from < span) {
    demand(next() * 2e6, () => (next() < 0.5 ? 0 : 20 * next()));
    demand(next() * 3e6, () => 0);
    demand(50_000 + 200_000 * next(), () => 400 * next());
    if (trouble && next() < 0.2) {
      time.at(START + Math.floor(from), () => living[0]!.limiter.reset("hot"));
    }
    if (trouble && next() < 0.3) {
      const place = Math.floor(next() * isolates);
      time.at(START + Math.floor(from - 1), () => {
        living[place]!.end();
        living[place] = isolate();
      });
    }
  }
  await time.run();
  const counted = books.map(countedOf);
  const ahead = books.flatMap(({ admitted }) => admitted);
  admissions.push(...(lease ? ahead : counted.flatMap((each) => each.admissions)));
  return {
    admissions: admissions.toSorted((a, b) => a.time - b.time),
    hopeful: books.filter(({ admitted }) => admitted.length > 0).length,
    ahead: ahead.length,
    held,
    lost: counted.reduce((sum, each) => sum + each.lost, 0),
    losses,
    resets,
    wrongDenials,
    overcharged: counted.reduce((sum, each) => sum + each.overcharged, 0),
  };
}

/** The units of a book that the store has counted: charges are sent in the order in which units were admitted. */
function countedOf({ admitted, charges }: Book): {
  readonly admissions: Admission[];
  readonly lost: number;
  readonly overcharged: number;
} {
  const units = admitted.flatMap((each) => Array.from({ length: each.units }, () => each.time));
  const sent = charges.flatMap((each) => Array.from({ length: each.units }, () => each.isCounted));
  const admissions = units.flatMap((time, i) => (sent[i] ? [{ time, units: 1 }] : []));
  return {
    admissions,
    lost: units.length - admissions.length,
    overcharged: Math.max(0, sent.length - units.length),
  };
}
