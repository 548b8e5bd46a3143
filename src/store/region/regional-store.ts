import type { Row } from "../../algorithms/model.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import { keepAlive } from "../../runtime/keep-alive.ts";
import type { Reply, Store, TakenReply } from "../store.ts";
import { createDeniedHere } from "./denied-here.ts";
import { deliveryOf, requestOf } from "./pool-calls.ts";
import {
  DENIED,
  HOME_DECIDES,
  MISSING,
  type PoolAnswer,
  type Pools,
  REGION_DENIES,
  SPENT,
  type SpendReply,
} from "./pools.ts";

/** A store that decides for a region. */
export type HomeStore = Store & Required<Pick<Store, "take">>;

export interface RegionalParts {
  readonly home: HomeStore;
  readonly pools: Pools;
  /** Forgets pools. */
  readonly forget: (keys: readonly string[]) => Promise<unknown>;
  /** The isolate's monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/**
 * A home store, and a store nearby that spends units which it took at home before. A request whose policies all have `region` takes
 * one call to the store nearby; home decides all others, what the region cannot decide, and everything while the region gives
 * no answer.
 */
export function regionalStore({ home, pools, forget, now }: RegionalParts): Store {
  const deniedHere = createDeniedHere(now);

  async function decideNearby(
    keys: readonly string[],
    costs: readonly number[],
    policies: readonly CompiledPolicy[],
  ): Promise<Reply> {
    const requests = policies.map((policy, i) =>
      requestOf(policy, keys[i]!, costs[i]!, deniedHere),
    );
    let spent: SpendReply;
    try {
      spent = await pools.spend(keys, requests);
    } catch {
      return asOfHome(await home.decide("consume", keys, costs, policies));
    }
    const isForHome = spent.verdict === HOME_DECIDES;
    const lacks = (i: number) => isForHome && spent.pools[i]!.state === MISSING;
    const asked = [...keys.keys()].filter((i) => lacks(i) || spent.pools[i]!.isClaimed);
    const nearby = replyOf(spent, policies);
    if (asked.length === 0) return nearby;

    const taking = home.take(
      asked.map((i) => keys[i]!),
      asked.map((i) => (lacks(i) ? costs[i]! : 0)),
      asked.map((i) => policies[i]!),
      asked.map((i) => spent.pools[i]!.order),
    );
    const bring = (taken: TakenReply | undefined, isGivenBack: boolean) => {
      const deliveries = requests.map((request, i) =>
        deliveryOf(request, spent.pools[i]!, policies[i]!, asked.indexOf(i), taken, isGivenBack),
      );
      return pools.put(keys, spent.nowUs, deliveries);
    };

    if (!isForHome) {
      follow(taking.then((taken) => bring(taken, false)));
      return nearby;
    }
    let taken: TakenReply;
    try {
      taken = await taking;
    } catch (error) {
      if (spent.pools.some(({ state }) => state === SPENT)) follow(bring(undefined, true));
      throw error;
    }
    const rows = nearby.rows.map((row, i) => (lacks(i) ? taken.rows[asked.indexOf(i)]! : row));
    const isDenied = rows.some(({ allowed }) => !allowed);
    const isNews = taken.rows.some(({ remaining }) => remaining === 0);
    if (isDenied || isNews || spent.pools.some(({ isClaimed }) => isClaimed)) {
      follow(bring(taken, isDenied));
    }
    // By the region's clock, which shows an earlier time: waits from there on end early, never late.
    return { nowUs: spent.nowUs, rows };
  }

  return {
    ...home,

    async decide(operation, keys, costs, policies, slot, lease) {
      if (operation === "consume" && !slot && policies.every(({ region }) => region)) {
        return decideNearby(keys, costs, policies);
      }
      return asOfHome(await home.decide(operation, keys, costs, policies, slot, lease));
    },

    noteDenied(keys, costs) {
      keys.forEach((key, i) => deniedHere.note(key, costs[i]!));
    },

    async reset(keys) {
      await home.reset(keys);
      // Without an answer, the region's units expire within a term.
      await forget(keys).catch(() => {});
    },
  };
}

/** Works in the background. What is lost on the way cannot be spent, and comes back to home by itself. */
function follow(work: Promise<unknown>): void {
  keepAlive(work.catch(() => {}));
}

/** Home has a clock of its own, which says nothing about the region's answers. */
function asOfHome(reply: Reply): Reply {
  return { ...reply, estimated: true };
}

function replyOf(
  { nowUs, verdict, pools }: SpendReply,
  policies: readonly CompiledPolicy[],
): Reply {
  const rows = pools.map((pool, i) => rowOf(pool, policies[i]!));
  return { nowUs, rows, ...(verdict === REGION_DENIES && { isFromRegion: true }) };
}

function rowOf({ state, left, waitUs, resetUs }: PoolAnswer, { limit }: CompiledPolicy): Row {
  const isKnown = left >= 0;
  return {
    allowed: state !== DENIED,
    // Units come back at home meanwhile, so that the region may hold more than home then had left.
    remaining: isKnown ? Math.min(left, limit) : limit,
    retryAfterUs: waitUs,
    resetAfterUs: resetUs,
    ...(!isKnown && { isResetGuessed: true }),
  };
}
