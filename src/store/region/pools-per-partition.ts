import { keepAlive } from "../../runtime/keep-alive.ts";
import { inGroups } from "../cluster/in-groups.ts";
import { placesOf } from "../durable-object-partitions.ts";
import { giveBackOf } from "./pool-calls.ts";
import {
  HOME_DECIDES,
  NOT_LOOKED_AT,
  type PoolAnswer,
  type PoolRequest,
  type Pools,
  REGION_ALLOWS,
  REGION_DENIES,
  SPENT,
  type SpendReply,
} from "./pools.ts";

/** One partition of a request: the places of its policies, and what its object says. */
interface Part {
  readonly indices: readonly number[];
  readonly reply: SpendReply;
}

/**
 * Makes a call for each partition, concurrently. If one denies, or gives no answer, the others get their units back. No object knows
 * what the others will say, so that such a request is admitted on credit by none: home would count what no client got.
 *
 * @param inner the pools of one partition
 */
export function poolsPerPartition(inner: Pools): Pools {
  function giveBack(
    keys: readonly string[],
    requests: readonly PoolRequest[],
    { indices, reply }: Part,
  ): void {
    if (!reply.pools.some(({ state }) => state === SPENT)) return;
    // What is lost on the way cannot be spent, and comes back at home by itself.
    const back = indices.map((index, i) => giveBackOf(requests[index]!, reply.pools[i]!, true));
    const given = inner.put(
      indices.map((index) => keys[index]!),
      back,
    );
    keepAlive(given.catch(() => {}));
  }

  return {
    async spend(keys, requests) {
      const places = placesOf(keys);
      if (!places) return inner.spend(keys, requests);
      const parts: Part[] = [];
      const ask = async (place: number) => {
        const indices = [...places.keys()].filter((i) => places[i] === place);
        const reply = await inner.spend(
          indices.map((i) => keys[i]!),
          indices.map((i) => ({ ...requests[i]!, credit: 0 })),
        );
        parts.push({ indices, reply });
      };
      const ends = await Promise.allSettled([...new Set(places)].map(ask));
      const failed = ends.find((end) => end.status === "rejected");
      const verdicts = parts.map(({ reply }) => reply.verdict);
      const isDenied = verdicts.includes(REGION_DENIES);
      if (failed || isDenied) for (const part of parts) giveBack(keys, requests, part);
      if (failed) throw failed.reason;
      return {
        nowUs: Math.min(...parts.map(({ reply }) => reply.nowUs)),
        verdict: isDenied
          ? REGION_DENIES
          : verdicts.includes(HOME_DECIDES)
            ? HOME_DECIDES
            : REGION_ALLOWS,
        unspent: parts.reduce((sum, { reply }) => sum + reply.unspent, 0),
        pools: inOrder(keys.length, parts, isDenied),
      };
    },

    async put(keys, deliveries) {
      const places = placesOf(keys);
      if (!places) return inner.put(keys, deliveries);
      let unspent = 0;
      let lostClaims = 0;
      await inGroups(places, async (of) => {
        const reply = await inner.put(of(keys), of(deliveries));
        unspent += reply.unspent;
        lostClaims += reply.lostClaims;
      });
      return { unspent, lostClaims };
    },
  };
}

/** The answers in the order of the request; of a denied one, what the others spent is given back. */
function inOrder(length: number, parts: readonly Part[], isDenied: boolean): readonly PoolAnswer[] {
  const answers = Array<PoolAnswer>(length);
  for (const { indices, reply } of parts) {
    indices.forEach((index, i) => {
      const { state, ...more } = reply.pools[i]!;
      answers[index] = { ...more, state: isDenied && state === SPENT ? NOT_LOOKED_AT : state };
    });
  }
  return answers;
}
