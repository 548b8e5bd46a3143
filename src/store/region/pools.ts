import type { RunScript } from "../redis/script-calls.ts";
import { scriptOf } from "../redis/script.ts";
import type { RegionOrder } from "../store.ts";
import { PUT, SPEND } from "./scripts.generated.ts";

/** How a pool decided the cost of one policy: the numbers of `lua/region/spend.lua`. */
export const SPENT = 0;
export const ON_CREDIT = 1;
export const DENIED = 2;
export const MISSING = 3;
export const NOT_LOOKED_AT = 4;

/** How the region decided the whole request. */
export const REGION_DENIES = 0;
export const REGION_ALLOWS = 1;
export const HOME_DECIDES = 2;

/** The cost of a request for one pool, and by what the pool decides it. */
export interface PoolRequest {
  /** How long its units may be spent, in microseconds. */
  readonly termUs: number;
  readonly cost: number;
  readonly credit: number;
  /** For how long a pool with open credit is kept, in microseconds. */
  readonly keepUs: number;
  /** The units left at home from which on the next lease may be generous. */
  readonly plenty: number;
  /** The most units that the pool may take; 0 for a limit so small that others would miss them. */
  readonly ceiling: number;
  /** Units of requests that the isolate has denied by itself within the last term. */
  readonly deniedHere: number;
}

export interface PoolAnswer {
  /** The clock that counts the pool's units. Partitions of one request may have several, such as objects. */
  readonly atUs: number;
  readonly state: number;
  /** The units left in the region and, by its last answer, at home; -1 before its first answer. */
  readonly left: number;
  readonly waitUs: number;
  readonly resetUs: number;
  /** Whether the isolate has to take the next units, and how many. */
  readonly isClaimed: boolean;
  readonly order: RegionOrder;
  /** When the first of the spent units would have expired, by the region's clock. */
  readonly spentUntilUs: number;
}

export interface SpendReply {
  /** The clock of the region, or of one of its objects. */
  readonly nowUs: number;
  readonly verdict: number;
  /** How many units have expired since these pools were last asked. */
  readonly unspent: number;
  readonly pools: readonly PoolAnswer[];
}

/** The units that an isolate brings to one pool, and their terms. */
export interface Delivery {
  readonly termUs: number;
  /** The pool's clock in the answer for which the units were taken. */
  readonly atUs: number;
  readonly isClaimed: boolean;
  readonly units: number;
  /** How long after the region's answer the units may be spent. */
  readonly lifeUs: number;
  /** The units left at home; -1 without an answer. */
  readonly left: number;
  readonly againUs: number;
  readonly resetUs: number;
  readonly paid: number;
  readonly keepUs: number;
  /** Units that the request spent and gives back, and until when they were kept. */
  readonly back: number;
  readonly backUntilUs: number;
}

/** The units and claims that `put` did not add to the pools. */
export interface PutReply {
  /** Units that came too late, or have expired since these pools were last asked. */
  readonly unspent: number;
  /** Claims that another isolate had got meanwhile. */
  readonly lostClaims: number;
}

/** The pools of a region: the units that it may spend, one pool for each policy of each partition. */
export interface Pools {
  spend(keys: readonly string[], requests: readonly PoolRequest[]): Promise<SpendReply>;
  put(keys: readonly string[], deliveries: readonly Delivery[]): Promise<PutReply>;
}

/** Numbers per policy in the reply of `spend`. */
const WIDTH = 9;

/** Numbers before those of the policies: the time, the verdict and the unspent units. */
const HEAD = 3;

/** Tells a give-back from a repetition of it; such ids have six bytes. */
export const giveBackId = (): number => Math.floor(Math.random() * 2 ** 48);

/** The key of a policy's pool. No policy's key ends like this, in case home is the same Redis. */
export const poolKeyOf = (key: string): string => `${key}:region`;

export function openPools(run: RunScript): Pools {
  const spend = scriptOf(SPEND);
  const put = scriptOf(PUT);

  return {
    async spend(keys, requests) {
      const args = requests.flatMap((each) => [
        each.termUs,
        each.cost,
        each.credit,
        each.keepUs,
        each.plenty,
        each.ceiling,
        each.deniedHere,
      ]);
      const numbers = await run(
        spend,
        keys.map(poolKeyOf),
        args.map(String),
        HEAD + WIDTH * keys.length,
      );
      const [nowUs] = numbers;
      return {
        nowUs: nowUs!,
        verdict: numbers[1]!,
        unspent: numbers[2]!,
        pools: keys.map((_, i) =>
          answerIn(nowUs!, numbers.slice(HEAD + WIDTH * i, HEAD + WIDTH * (i + 1))),
        ),
      };
    },

    async put(keys, deliveries) {
      const args = deliveries.flatMap((each) => [
        each.termUs,
        each.atUs,
        Number(each.isClaimed),
        each.units,
        each.lifeUs,
        each.left,
        each.againUs,
        each.resetUs,
        each.paid,
        each.keepUs,
        each.back,
        each.backUntilUs,
      ]);
      const id = giveBackId();
      const [, unspent, lostClaims] = await run(
        put,
        keys.map(poolKeyOf),
        [...args, id].map(String),
        3,
      );
      return { unspent: unspent!, lostClaims: lostClaims! };
    },
  };
}

function answerIn(atUs: number, numbers: readonly number[]): PoolAnswer {
  const [state, left, waitUs, resetUs, claimed, most, need, owed, spentUntilUs] = numbers;
  return {
    atUs,
    state: state!,
    left: left!,
    waitUs: waitUs!,
    resetUs: resetUs!,
    isClaimed: claimed === 1,
    order: { most: most!, need: need!, owed: owed! },
    spentUntilUs: spentUntilUs!,
  };
}
