import { DRIFT } from "../../src/decide/denial-cache.ts";
import { StoreError } from "../../src/options/errors.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import { steadyClock } from "../../src/runtime/clock.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import type { Store } from "../../src/store/store.ts";
import type { Admission } from "../support/model/trailing-window.ts";
import { random } from "../support/random.ts";
import { virtualTime } from "../support/virtual-time.ts";
import { type LeasedStore, leasedStore } from "./leased-store.ts";

export interface CrowdOptions {
  readonly seed: number;
  readonly isolates: number;
  /** As the store has to keep them. */
  readonly policies: readonly CompiledPolicy[];
  /** For how long units may be held, in microseconds. */
  readonly lease: number;
  /** How long requests keep coming, in microseconds. */
  readonly span: number;
  /** Whether calls are lost and slow, and the identity is reset now and then. */
  readonly trouble: boolean;
  /** The reader of an isolate's clock that steps. Default: the product's. */
  readonly steady?: typeof steadyClock;
}

export interface Crowd {
  /** In order of time: when the store took the units of a request that asked it, and when others were let pass. */
  readonly admissions: readonly Admission[];
  /** How many of them passed on leased units. */
  readonly local: number;
  /** When the store executed a reset. */
  readonly resets: readonly number[];
}

/** Later than any real clock, and on no boundary. */
const START = 4_000_000_000_123_457;

/** Microseconds after which a call is given up. */
const BUDGET = 250_000;

/**
 * Isolates that hold leases of one identity: with clocks of their own, far from the store, under demand that comes and
 * goes about as fast as leases do, so that they are held to their last moment and spent at once.
 */
export async function crowd(options: CrowdOptions): Promise<Crowd> {
  const { seed, isolates, policies, lease, span, trouble, steady = steadyClock } = options;
  const next = random(seed);
  const time = virtualTime(START);
  const model = openMemoryStore({ now: () => time.now() });
  const admissions: Admission[] = [];
  const resets: number[] = [];
  let local = 0;
  /** When the request that is being decided was debited by a call of its own. */
  let own: { debitedAt?: number } = {};

  const travel = () => {
    const slow = trouble && next() < 0.1;
    return time.pass(200 + Math.floor(next() * (slow ? 150_000 : 8_000)));
  };
  const lost = async () => {
    if (!trouble || next() > 0.03) return;
    await time.pass(BUDGET);
    throw new StoreError("ERR_STORE_TIMEOUT", "lost");
  };
  const distant: Store = {
    async decide(operation, keys, costs, given) {
      const mine = own;
      await lost();
      await travel();
      // Leases without bounds, so that isolates hold as much as they ask for.
      const reply = await model.decide(operation, keys, costs, given);
      const { rows, leased = Number(rows.every(({ allowed }) => allowed)) } = reply;
      const debitedAt = time.now();
      await lost();
      await travel();
      if (leased > 0) mine.debitedAt = debitedAt;
      return reply;
    },
    async reset(asked) {
      await travel();
      await model.reset(asked);
      resets.push(time.now());
      await travel();
    },
  };

  function isolate(): LeasedStore {
    // No faster or slower than the margin allows, and begun at any moment.
    const pace = 1 + (2 * next() - 1) * DRIFT;
    const began = next() * 1e6;
    let stepped = 0;
    // Back by more than any pause, so that none goes unseen; and forwards, which may lead back to where it was.
    const step = (by: number) => () => {
      stepped += by;
    };
    if (trouble && next() < 0.5) {
      const [at, later] = [next() * span, next() * span];
      time.at(START + Math.floor(at), step(-3_600_000));
      time.at(START + Math.floor(later), step(next() < 0.5 ? 3_600_000 : -60_000));
    }
    const now = steady(() => began + stepped + ((time.now() - START) * pace) / 1000);
    return leasedStore(distant, policies, { leaseUs: lease, now });
  }

  async function arrive(store: LeasedStore): Promise<void> {
    const cost = next() < 0.95 ? 1 : 2 + Math.floor(next() * 3);
    const mine: { debitedAt?: number } = {};
    own = mine;
    try {
      const answer = store.decide("consume", "hot", cost);
      const { rows } = await answer;
      if (!rows.every(({ allowed }) => allowed)) return;
      if (mine.debitedAt === undefined) local++;
      admissions.push({ time: mine.debitedAt ?? time.now(), units: cost });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }

  const stores = Array.from({ length: isolates }, isolate);
  const gap = (rate: number) => -Math.log(1 - next()) / rate;
  let from = 0;
  /** Demand from now on for the time of this many leases, `rateOf` requests per lease's time on each isolate; 0 for none. */
  function demand(leases: number, rateOf: () => number): void {
    const to = from + leases * lease;
    for (const store of stores) {
      const rate = rateOf() / lease;
      if (rate === 0) continue;
      for (let at = from + gap(rate); at < to; at += gap(rate)) {
        time.at(START + Math.floor(at), () => arrive(store));
      }
    }
    from = to;
  }
  while (from < span) {
    // Some take leases while there is enough, hold them while it gathers again, and then all want all units.
    demand(1 + 2 * next(), () => (next() < 0.4 ? 9 + 15 * next() : 0));
    demand(next(), () => 0);
    demand(0.1 + 0.4 * next(), () => 100 + 200 * next());
    if (next() < 0.5) demand(3 * next(), () => (next() < 0.5 ? 0 : 10 * 20 ** next()));
    else demand(3 * next(), () => 0);
    if (trouble && next() < 0.1) time.at(START + Math.floor(from), () => stores[0]!.reset("hot"));
  }
  await time.run();
  return { admissions: admissions.toSorted((a, b) => a.time - b.time), local, resets };
}
