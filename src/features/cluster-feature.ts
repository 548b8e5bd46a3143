import type { Row } from "../algorithms/model.ts";
import { byGroup, type PartialAnswer, verdictsOf } from "../decide/ask-store.ts";
import { type MadeBy, meaningOf, optionValue, type RedisMakers } from "../options/option-value.ts";
import { createSlotBreaker } from "../store/cluster/slot-breaker.ts";
import { splitStore } from "../store/cluster/split-store.ts";
import { PartialReplyError } from "../store/partial-reply.ts";
import type { RedisEndpoint } from "../store/redis/client.ts";
import { HOLDS } from "../store/redis/feature-calls.ts";

/** The answer of the masters that gave one; the groups of the others have none. */
const partialAnswer: PartialAnswer = (groups, error, sentAtMs, receivedAtMs) => {
  if (!(error instanceof PartialReplyError)) return undefined;
  const clocksUs = error.clocksUs as readonly number[];
  const answered = (rows: readonly (Row | undefined)[]) =>
    verdictsOf(
      groups,
      { rows: rows as readonly Row[], nowUs: 0, clocksUs },
      sentAtMs,
      receivedAtMs,
    ).filter(({ rows: [first] }) => first);
  const unanswered = byGroup(groups, error.failures).flatMap(([failure], i) => {
    const asked = groups[i]!;
    return failure ? [{ asked, error: failure, costs: asked.costs }] : [];
  });
  return {
    groups: answered(error.rows),
    unanswered,
    error,
    giveBack: async () => answered(await error.giveBack()),
  };
};

/**
 * Partitions on several masters of a Redis Cluster: each hash slot has its own calls, and is suspended alone when it
 * fails.
 */
export const clusterFeature = {
  /** If one master denies, the others give their units back. */
  scripts: { holds: HOLDS },
  createBreaker: createSlotBreaker,
  split: splitStore,
  partialAnswer,
};

/**
 * A Redis Cluster, whose masters have a part of the partitions each: one that fails is suspended alone. A decision of several
 * partitions that lie on different masters is one call to each.
 *
 * @param redis `{ url, token }` of its REST API, or what `client()`, `fromIoredis()` or `fromNodeRedis()` returns. Default: from the
 * environment
 * @example
 * createLimiter({ redis: cluster(fromIoredis(new Cluster(nodes, { retryDelayOnFailover: 0 }))), policies })
 */
export function cluster(redis?: RedisEndpoint | MadeBy<RedisMakers>): MadeBy<RedisMakers> {
  const meant = meaningOf(redis);
  const plain = { redis: meant ? meant.plain["redis"] : redis };
  return optionValue("redis", plain, { ...meant?.features, cluster: clusterFeature });
}
