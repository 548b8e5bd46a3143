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
  type PutReply,
  REGION_DENIES,
  type SpendReply,
  SPENT,
} from "./pools.ts";
import type { Nearby, NoteRegion } from "./region-store.ts";
import { standIn } from "./stand-in.ts";

/** A store that decides for a region. */
export type HomeStore = Store & Required<Pick<Store, "take">>;

export interface RegionalParts extends Nearby {
  readonly home: HomeStore;
  /** The isolate's monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Counts for metrics. Default: nothing does. */
  readonly note?: NoteRegion | undefined;
}

/**
 * A home store, and a store nearby that spends units which it took at home before. A request whose policies all have `region` takes
 * one call to the store nearby; home decides all others, what the region cannot decide, and everything while the region gives
 * no answer.
 */
export function regionalStore({
  home,
  pools,
  alone,
  forget,
  now,
  note = () => {},
}: RegionalParts): Store {
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
      note("failures", 1);
      note("waits", 1);
      note("homeCalls", 1);
      return asOfHome(await home.decide("consume", keys, costs, policies));
    }
    note("unspentUnits", spent.unspent);
    const isForHome = spent.verdict === HOME_DECIDES;
    note("waits", Number(isForHome));
    const lacks = (i: number) => isForHome && spent.pools[i]!.state === MISSING;
    const asked = [...keys.keys()].filter((i) => lacks(i) || spent.pools[i]!.isClaimed);
    const nearby = replyOf(spent, policies);
    if (asked.length === 0) return nearby;

    note("homeCalls", 1);
    const taking = home.take(
      asked.map((i) => keys[i]!),
      asked.map((i) => (lacks(i) ? costs[i]! : 0)),
      asked.map((i) => policies[i]!),
      asked.map((i) => spent.pools[i]!.order),
    );
    const claims = spent.pools.filter(({ isClaimed }) => isClaimed).length;
    const bring = async (taken: TakenReply | undefined, isGivenBack: boolean): Promise<void> => {
      const deliveries = requests.map((request, i) =>
        deliveryOf(request, spent.pools[i]!, policies[i]!, asked.indexOf(i), taken, isGivenBack),
      );
      // Without an answer, nobody knows that the units are there.
      const { unspent, lostClaims }: PutReply = await pools.put(keys, deliveries).catch(() => ({
        unspent: deliveries.reduce((sum, { units }) => sum + units, 0),
        lostClaims: claims,
      }));
      note("unspentUnits", unspent);
      note("lostClaims", lostClaims);
    };
    const lose = () => note("lostClaims", claims);

    if (!isForHome) {
      follow(taking.then((taken) => bring(taken, false), lose));
      return nearby;
    }
    let taken: TakenReply;
    try {
      taken = await taking;
    } catch (error) {
      lose();
      if (spent.pools.some(({ state }) => state === SPENT)) follow(bring(undefined, true));
      return standIn(alone, error, keys, costs, policies);
    }
    const rows = nearby.rows.map((row, i) => (lacks(i) ? taken.rows[asked.indexOf(i)]! : row));
    const isDenied = rows.some(({ allowed }) => !allowed);
    const isNews = taken.rows.some(({ remaining }) => remaining === 0);
    if (isDenied || isNews || spent.pools.some(({ isClaimed }) => isClaimed)) {
      follow(bring(taken, isDenied));
    }
    // `spent.nowUs` is earlier than home's answer. A wait counted from it ends early, never late.
    return { ...timesOf(spent), rows };
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

function replyOf(spent: SpendReply, policies: readonly CompiledPolicy[]): Reply {
  const rows = spent.pools.map((pool, i) => rowOf(pool, policies[i]!));
  return {
    ...timesOf(spent),
    rows,
    ...(spent.verdict === REGION_DENIES && { isFromRegion: true }),
  };
}

/** Of several clocks none dates the others' answers. */
function timesOf({ nowUs, pools }: SpendReply): Omit<Reply, "rows"> {
  const isOneClock = pools.every(({ atUs }) => atUs === nowUs);
  return { nowUs, ...(!isOneClock && { estimated: true }) };
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
