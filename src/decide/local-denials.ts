import type { CompiledPolicy } from "../policy/compile.ts";
import { type DenialCache, type Knowledge, createDenialCache } from "./denial-cache.ts";
import type { PolicyGroup } from "./groups.ts";
import type { LimiterContext, CoreSettings } from "./limiter-context.ts";
import { type RedisClocks, createRedisClocks } from "./redis-clocks.ts";
import {
  type PartitionRequest,
  type CountRequest,
  type Verdict,
  type GroupVerdict,
  type Step,
  NO_MOMENT,
  type Decide,
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
 * Denies a cost above its policy's limit, which never has room. The numbers come from a known denial, or else are those of
 * policies of which nothing is used.
 */
export function tooCostly(
  { now, clockUs }: LimiterContext<CoreSettings>,
  known: LocalDenials,
): Step<Decide> {
  function never({ groups }: CountRequest): Verdict {
    let nowUs: number | undefined;
    const verdicts = groups.map((asked): GroupVerdict => {
      const found = known.find(asked, now());
      if (found.state === "denied") nowUs ??= found.nowUs;
      const rows = asked.group.policies.map((policy, i) => {
        const row = found.state === "denied" ? found.rows[i] : undefined;
        const allowed = fits(policy, asked.costs[i]!);
        return {
          allowed,
          remaining: row?.remaining ?? policy.limit,
          retryAfterUs: allowed ? 0 : Infinity,
          resetAfterUs: row?.resetAfterUs ?? 0,
        };
      });
      return { asked, rows, countedBy: "none", at: NO_MOMENT };
    });
    return {
      reason: "cost-exceeds-limit",
      status: 429,
      nowUs: nowUs ?? clockUs(),
      groups: verdicts,
    };
  }

  return (next) => (asked) => {
    const { operation, groups } = asked;
    if (operation === "charge" || operation === "reset") return next(asked);
    for (let i = 0; i < groups.length; i++) if (!groupFits(groups[i]!)) return never(asked);
    return next(asked);
  };
}

/** Whether each cost of a group can ever have room. */
export function groupFits({ group: { policies }, costs }: PartitionRequest): boolean {
  for (let i = 0; i < policies.length; i++) if (!fits(policies[i]!, costs[i]!)) return false;
  return true;
}

/** A policy that does not deny, or that does not count requests, refuses no cost. */
function fits({ role, limit }: CompiledPolicy, cost: number): boolean {
  return role !== "enforced" || cost <= limit;
}

/** Whether a verdict reports the store's counts, from its own answer or from a lease. */
export function isStoreAnswer(
  { countedBy }: GroupVerdict,
  { error }: Pick<Verdict, "error">,
): boolean {
  return countedBy === "lease" || (countedBy === "store" && !error);
}

/** Whether a policy of the group denies. Advisory policies come last. */
export function deniesIn({ asked: { group }, rows }: GroupVerdict): boolean {
  const { length } = group.denying;
  for (let i = 0; i < length; i++) if (!rows[i]!.allowed) return true;
  return false;
}
