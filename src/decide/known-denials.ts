import { createSingleFlight } from "../runtime/single-flight.ts";
import {
  createDenialCache,
  type DenialCache,
  type Knowledge,
  type KnownDenial,
} from "./denial-cache.ts";
import type { PolicyGroup } from "./groups.ts";
import type { CoreSettings, LimiterContext } from "./limiter-context.ts";
import { createRedisClocks, type RedisClocks } from "./redis-clocks.ts";
import {
  isStoreAnswer,
  type CountRequest,
  type PartitionRequest,
  type GroupVerdict,
  type Verdict,
  type Decide,
  NO_MOMENT,
  type Step,
} from "./step.ts";

/** The denials that an isolate knows from the store's answers. */
export interface LocalDenials {
  readonly clocks: RedisClocks;
  /** The denials of a group. */
  cacheFor(group: PolicyGroup): DenialCache;
  find(asked: PartitionRequest, nowMs: number): Knowledge;
  /** Learns from a verdict. Returns a promise only if it first has to check whether a denial is reliable. */
  learn(asked: CountRequest, verdict: Verdict): Verdict | Promise<Verdict>;
  /** Whether a verdict has denials by the store, and all of them last as long as they claim. */
  isReliable(asked: CountRequest, verdict: Verdict): boolean | Promise<boolean>;
  /** Forgets the denials of these partitions, and ignores answers to earlier requests. */
  forget(groups: readonly PartitionRequest[]): void;
}

export function createLocalDenials({
  store,
  settings,
  now,
  perGroup,
}: LimiterContext<CoreSettings>): LocalDenials {
  const { prefix, policies, maxDenials } = settings;
  const clocks = createRedisClocks();
  const cacheFor = perGroup(({ denying }) => {
    const evenLimits = denying.map(({ implementation, limit }) =>
      implementation.refillsEvenly ? limit : undefined,
    );
    return createDenialCache(maxDenials, denying.length, evenLimits);
  });
  const deciding = policies.filter(({ mode }) => mode !== "shadow");
  const isOnePartition = new Set(deciding.map(({ by, shards }) => `${by} ${shards}`)).size <= 1;

  function learnGroup(verdict: GroupVerdict, costs: readonly number[]): void {
    const { asked, rows, at } = verdict;
    const { partition, group, wasDenied } = asked;
    const decidedAtMs = at.estimated
      ? at.sentAtMs
      : clocks.note(partition, at.nowUs, at.sentAtMs, at.receivedAtMs);
    cacheFor(group).learn(partition, costs, decidedAtMs, { nowUs: at.nowUs, rows }, wasDenied);
  }

  function learnAll({ operation }: CountRequest, verdict: Verdict, isReliable: boolean): Verdict {
    const takes = operation === "charge" || (operation === "consume" && verdict.status === 200);
    for (const each of verdict.groups) {
      if (!isStoreAnswer(each, verdict)) continue;
      const { group, partition, costs } = each.asked;
      if (isReliable && waits(each)) {
        // After a charge, the wait is for one more unit.
        learnGroup(each, operation === "charge" ? group.defaultCosts : costs);
      } else if (
        takes &&
        each.countedBy === "store" &&
        group.denying.some((_, i) => costs[i]! > 0)
      ) {
        // An earlier denial of a greater cost lacks the units that were taken, so that its waits have become too short.
        cacheFor(group).drop(partition, each.at.sentAtMs);
      }
      for (const variant of group.variants)
        if (variant !== group) cacheFor(variant).drop(partition);
    }
    return verdict;
  }

  const known: LocalDenials = {
    clocks,
    cacheFor,
    find: ({ group, partition, costs }, nowMs) => cacheFor(group).find(partition, costs, nowMs),

    isReliable({ operation }, verdict) {
      if (maxDenials === 0) return false;
      const { groups } = verdict;
      if (!groups.some((each) => isStoreAnswer(each, verdict) && waits(each))) return false;
      const takes = groups.some(({ asked: { group, costs } }) =>
        group.policies.some(
          ({ role }, i) => role === "enforced" && (operation === "charge" || costs[i]! > 0),
        ),
      );
      return takes && (isOnePartition || (store.spansPartitions?.(prefix) ?? true));
    },

    learn(asked, verdict) {
      const isReliable = known.isReliable(asked, verdict);
      return typeof isReliable === "boolean"
        ? learnAll(asked, verdict, isReliable)
        : isReliable.then((reliable) => learnAll(asked, verdict, reliable));
    },

    forget(groups) {
      for (const { group, partition } of groups) {
        for (const each of group.variants) cacheFor(each).forget(partition, now());
      }
    },
  };
  return known;
}

/** Whether a policy has no room for the same request, and no refund can make room. */
function waits({ asked: { group }, rows }: GroupVerdict): boolean {
  const { denying } = group;
  for (let i = 0; i < denying.length; i++) {
    if (rows[i]!.retryAfterUs > 0 && !denying[i]!.refundable) return true;
  }
  return false;
}

/**
 * Denies at once if the isolate knows the denial. After a known denial has expired, one request of its partition goes
 * on, and the others wait for its verdict. Each verdict updates the known denials.
 */
export function knownDenials(
  { now, perGroup }: LimiterContext<CoreSettings>,
  known: LocalDenials,
): Step<Decide> {
  const flightsOf = perGroup(({ denying }) => createSingleFlight(denying.length));

  return (next) => {
    async function ask(asked: CountRequest): Promise<Verdict> {
      return known.learn(asked, await next(asked));
    }

    /** @param arrivedAtMs the request's arrival, before it waited for others */
    function look(
      asked: CountRequest,
      arrivedAtMs: number,
      nowMs: number,
    ): Verdict | Promise<Verdict> {
      const { groups } = asked;
      let expired: Map<PartitionRequest, boolean> | undefined;
      let longest: { readonly asked: PartitionRequest; readonly denial: KnownDenial } | undefined;
      for (let i = 0; i < groups.length; i++) {
        const found = known.find(groups[i]!, nowMs);
        if (found.state === "denied" && !(longest && waitOf(found) <= waitOf(longest.denial))) {
          longest = { asked: groups[i]!, denial: found };
        }
        if (found.state === "expired") (expired ??= new Map()).set(groups[i]!, found.denied);
      }
      if (longest) return deny(longest.asked, longest.denial);
      if (expired) return askAlone(asked, expired, nowMs);
      for (let i = 0; i < groups.length; i++) {
        const { group, partition, costs } = groups[i]!;
        const flight = flightsOf(group).join(partition, costs, arrivedAtMs, nowMs);
        if (flight) return flight.then(() => look(asked, arrivedAtMs, now()));
      }
      return ask(asked);
    }

    /** Asks the store after denials have expired, while other requests wait. */
    function askAlone(
      asked: CountRequest,
      expired: ReadonlyMap<PartitionRequest, boolean>,
      nowMs: number,
    ): Promise<Verdict> {
      const groups = asked.groups.map((each) =>
        expired.get(each) ? { ...each, wasDenied: true } : each,
      );
      let asking = () => ask({ ...asked, groups });
      for (const { group, partition, costs } of expired.keys()) {
        const inner = asking;
        known.cacheFor(group).drop(partition);
        asking = () => flightsOf(group).run(partition, costs, nowMs, inner);
      }
      return asking();
    }

    return (asked) => {
      if (asked.operation === "reset") {
        return Promise.resolve(next(asked)).then((verdict) => {
          // Not earlier: the answer to an earlier request could restore the old denial.
          known.forget(asked.groups);
          return verdict;
        });
      }
      if (asked.operation !== "consume" || asked.mustReachStore) return ask(asked);
      const nowMs = now();
      return look(asked, nowMs, nowMs);
    };
  };
}

function waitOf({ rows }: KnownDenial): number {
  return Math.max(...rows.map(({ retryAfterUs }) => retryAfterUs));
}

/** The verdict of a known denial of one group. */
export function deny(
  asked: PartitionRequest,
  { nowUs, rows }: Pick<KnownDenial, "nowUs" | "rows">,
): Verdict {
  return {
    reason: "cached-denial",
    status: 429,
    nowUs,
    groups: [{ asked, rows, countedBy: "none", at: NO_MOMENT }],
  };
}
