import type { PolicyGroup } from "../../decide/groups.ts";
import type { CoreSettings, Kit } from "../../decide/kit.ts";
import { isStoreAnswer, type Known } from "../../decide/known.ts";
import {
  after,
  type Asked,
  type AskedGroup,
  type Decide,
  deniesIn,
  NO_MOMENT,
  type Step,
  type Verdict,
} from "../../decide/step.ts";
import { DRIFT, type KnownDenial } from "../../denials/denial-cache.ts";
import { type Bound, createRedisClocks, earliestMs } from "../../denials/redis-clocks.ts";
import type { StoreError } from "../../errors/errors.ts";
import { createBreaker } from "../../runtime/breaker.ts";
import { reportOnce } from "../../runtime/log.ts";
import { createReplicaPartitions, type ReplicaPartitions } from "./partitions.ts";
import { flattenDenying, type Reading, splitDenying, waitUs } from "./readings.ts";
import type { Replica } from "./replica.ts";
import { createTrust } from "./trust.ts";

export interface ReplicaSettings extends CoreSettings {
  readonly replica?: Replica;
}

/** The primary is one Redis with one clock. */
const PRIMARY = "";

/**
 * Asks a nearby replica before the primary about a partition that this isolate does not know. It only denies: the units
 * in its counts were consumed at the primary, too, and are still consumed. The primary decides all other requests.
 */
export function replicaStep(
  { settings, store, now, perGroup, keysOf }: Kit<ReplicaSettings>,
  known: Known,
): Step<Decide> | undefined {
  const { replica, prefix, maxDenials } = settings;
  if (!replica) return undefined;
  const clock = createRedisClocks();
  const breaker = createBreaker();
  const trust = createTrust();
  const partitionsOf = perGroup((group): ReplicaPartitions | undefined =>
    takesPart(group) ? createReplicaPartitions(maxDenials) : undefined,
  );
  function note(verdict: Verdict): void {
    for (const each of verdict.groups) {
      if (!isStoreAnswer(each, verdict) || each.at.estimated) continue;
      const { nowUs, sentAtMs, receivedAtMs } = each.at;
      clock.note(PRIMARY, nowUs, sentAtMs, receivedAtMs);
      const { group, partition } = each.asked;
      partitionsOf(group)?.note(partition, !deniesIn(each), receivedAtMs);
    }
  }

  /** The groups that the replica is asked about. */
  function unknownIn({ groups }: Asked, nowMs: number): readonly AskedGroup[] {
    return groups.filter(
      ({ group, partition, costs }) =>
        costs.some((cost) => cost > 0) && partitionsOf(group)?.isUnknown(partition, nowMs),
    );
  }

  /** The replica's rows of each group; none if it gives no answer in time. */
  async function read(
    groups: readonly AskedGroup[],
    latestUs: number,
  ): Promise<readonly Reading[]> {
    if (!breaker.admits(now())) return [];
    try {
      const { keys, costs, policies } = flattenDenying(groups, keysOf);
      const rows = await replica!.read(keys, costs, policies, latestUs);
      breaker.succeeded();
      return rows ? splitDenying(groups, rows) : [];
    } catch (error) {
      breaker.failed(now());
      reportOnce(
        `The replica gives no answer: ${reasonOf(error as StoreError)} Redis decides without it until it does.`,
      );
      return [];
    }
  }

  /** Remembers what the replica denies; returns the first denial that has not ended. */
  function learn(
    readings: readonly Reading[],
    bound: Bound,
    latestUs: number,
  ): Verdict | undefined {
    const decidedAtMs = earliestMs(bound, latestUs);
    for (const { asked, rows } of readings) {
      const { group, partition, costs, wasDenied } = asked;
      const denials = known.of(group);
      denials.learn(partition, costs, decidedAtMs, { nowUs: latestUs, rows }, wasDenied);
      const found = denials.find(partition, costs, now());
      if (found.state === "denied") return denyNearby(asked, found);
      if (found.state === "expired") denials.drop(partition);
    }
    return undefined;
  }

  /** Compares what the replica denied with the primary's answer. */
  async function check(verdict: Verdict, readings: readonly Reading[], latestUs: number) {
    for (const { asked, rows } of readings) {
      const own = verdict.groups.find(
        (each) =>
          each.asked.group === asked.group &&
          each.asked.partition === asked.partition &&
          isStoreAnswer(each, verdict),
      );
      if (own && deniesIn(own)) {
        // The masters of a Redis Cluster have clocks of their own, and what one took may come back.
        if ((await store.spansPartitions?.(prefix)) !== false) trust.confirm(now());
      } else if (own && own.at.nowUs < latestUs + waitUs(rows)) {
        trust.refute(now());
        replica!.refuted?.();
        reportOnce(
          "Redis admitted a request that the replica denied, so the replica is not asked for a minute. Is it a replica of this Redis, and is the link between them up?",
        );
      }
    }
  }

  return (next) => {
    const ask = (asked: Asked) =>
      after(next(asked), (verdict) => {
        note(verdict);
        return verdict;
      });

    async function askReplicaFirst(
      asked: Asked,
      unknown: readonly AskedGroup[],
      bound: Bound,
      nowMs: number,
    ): Promise<Verdict> {
      const latestUs = Math.ceil((bound.baseMs + nowMs * (1 + DRIFT)) * 1000);
      const readings = (await read(unknown, latestUs)).filter(({ rows }) => waitUs(rows) > 0);
      if (readings.length === 0) return ask(asked);
      if (trust.believes(now())) return learn(readings, bound, latestUs) ?? ask(asked);
      const verdict = await ask(asked);
      await check(verdict, readings, latestUs);
      return verdict;
    }

    return (asked) => {
      const { operation, groups, mustReachStore } = asked;
      if (operation === "reset") {
        return after(next(asked), (verdict) => {
          for (const { group, partition } of groups) {
            for (const each of group.variants) {
              partitionsOf(each)?.forget(partition, now());
            }
          }
          return verdict;
        });
      }
      if (operation !== "consume" || mustReachStore) return ask(asked);
      const nowMs = now();
      const bound = clock.boundOf(PRIMARY, nowMs);
      if (!bound || !trust.asks(nowMs)) return ask(asked);
      const unknown = unknownIn(asked, nowMs);
      return unknown.length > 0 ? askReplicaFirst(asked, unknown, bound, nowMs) : ask(asked);
    };
  };
}

/** The store's own words would name the token of the primary. */
function reasonOf({ code, message }: StoreError): string {
  return code === "ERR_STORE_UNAUTHORIZED"
    ? "it rejects its token, or its user may not run the script or read the keys."
    : message;
}

/** Whether what a group consumed stays consumed, and only the store gives its units away. */
function takesPart({ denying }: PolicyGroup): boolean {
  return (
    denying.length > 0 &&
    denying.every(
      // Policies with slots are refundable, too.
      ({ refundable, leaseUs }) => !refundable && leaseUs === undefined,
    )
  );
}

function denyNearby(asked: AskedGroup, { nowUs, rows }: KnownDenial): Verdict {
  const at = { ...NO_MOMENT, nowUs };
  return {
    reason: "replica-denial",
    status: 429,
    nowUs,
    groups: [{ asked, rows, countedBy: "none", at }],
  };
}
