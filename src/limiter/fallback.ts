import type { FailureVerdict } from "../algorithms/common-options.ts";
import type { Operation, Row } from "../algorithms/model.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { oncePerPolicy } from "../policy/once-per-policy.ts";
import { createMemory, type Memory } from "../store/memory.ts";
import type { Reply } from "../store/store.ts";
import { createLastAnswers, type LastAnswer, type LastAnswers } from "./last-answers.ts";
import { localKeyOf, localPolicyOf, localShareOf } from "./local-share.ts";
import { isAllowed, type PartitionedRequest } from "./selection.ts";

/** Decides without the store. */
export interface Fallback {
  /**
   * Decides one request by the policies' failure verdicts.
   *
   * @param answered rows of the policies about which the store did answer
   */
  decide(
    operation: Operation,
    request: PartitionedRequest,
    keys: readonly string[],
    answered?: readonly (Row | undefined)[],
  ): FallbackResult;
  /** Keeps what the store last answered about a group of policies. */
  answersOf(policies: readonly CompiledPolicy[]): LastAnswers;
  /** Forgets local counts, and ignores answers to requests sent before now, in milliseconds of the steady clock. */
  forget(request: PartitionedRequest, keys: readonly string[], nowMs: number): void;
  /** The clock that local counts use, in microseconds since 1970. */
  readonly now: () => number;
}

export interface FallbackResult extends Reply {
  /** 503 if any policy fails closed, because it then denies; else 429 or 200. */
  readonly status: 200 | 429 | 503;
}

/** When to try again what only the store could admit: after the next probe of the breaker. */
const STORE_RETRY_US = 1_000_000;

/** Suffix of the keys of counts that continue from the store's last answer. No policy's name contains it. */
export const SEEN = "~";

/**
 * Decides without the store, by each policy's failure verdict: `open` has room, `closed` has none, `local` counts in
 * this isolate's memory, with all of the limit or a share of it.
 *
 * There are two local counts per policy: one from zero, under the policy's own key, and one from what the store last
 * reported as used, under the key with `SEEN`. The first has the isolate's share of the limit. The second has all of it,
 * because the store reports what all isolates used. The stricter count decides, so an outage gives no fresh quota, however
 * often it comes and goes. The store does not count what is admitted here, except for a request that it executed
 * without answering in time: that one counts in both places.
 *
 * @param clock to count by, in microseconds since 1970. Default: the isolate's wall clock
 * @param memory for local counts; several limiters may share it
 */
export function createFallback(
  defaultVerdict: FailureVerdict,
  clock: () => number = () => Date.now() * 1000,
  memory: Memory = createMemory(),
): Fallback {
  const verdictOf = ({ onFailure }: CompiledPolicy) => onFailure ?? defaultVerdict;
  const shareOf = (policy: CompiledPolicy) => localShareOf(verdictOf(policy));
  const scaledOf = oncePerPolicy((policy) => localPolicyOf(policy, shareOf(policy)!));
  const localIn = (policies: readonly CompiledPolicy[]) =>
    policies.flatMap((policy, i) => (shareOf(policy) === undefined ? [] : [i]));

  /**
   * Starts the second count of one group: charges what the store reported as used, at the time of its answer, and then
   * what the first count holds.
   */
  function countSeen(own: readonly Counted[], { atUs, remaining }: LastAnswer): void {
    const nowUs = clock();
    for (const [i, { key, store, policy, scaled }] of own.entries()) {
      const seen = [store + SEEN];
      const [row] = memory.decide(nowUs, "peek", [key], [1], [scaled]).rows;
      memory.reset(seen);
      const charge = (timeUs: number, used: number) => {
        if (used > 0) memory.decide(timeUs, "charge", seen, [used], [policy]);
      };
      charge(Math.min(atUs, nowUs), policy.limit - remaining[i]!);
      // A shard carries its part of what is counted here.
      const part = policy.limit / (policy.whole ?? policy).limit;
      charge(nowUs, Math.ceil((scaled.limit - row!.remaining) * part));
    }
  }

  /** The policies that count locally, once per count: first by their own keys, then by those of the second counts. */
  function localCounts(
    { selection, partitions, costs }: PartitionedRequest,
    keys: readonly string[],
  ): readonly Counted[] {
    const { policies, groups, groupOf } = selection;
    const own = localIn(policies).map((i) => {
      const policy = policies[i]!;
      const key = localKeyOf(policy, keys[i]!);
      return { row: i, policy, scaled: scaledOf(policy), key, store: keys[i]!, cost: costs[i]! };
    });
    const seen = groups.flatMap(({ answers }, group) => {
      const counted = own.filter(({ row }) => groupOf[row] === group);
      const answer = answers.find(partitions[group]!);
      if (!answer) return [];
      if (answer.fresh) countSeen(counted, answer);
      return counted.map(({ row, policy, store, cost }) => {
        return { row, policy, scaled: policy, key: store + SEEN, store, cost };
      });
    });
    return [...own, ...seen];
  }

  return {
    now: clock,
    answersOf: (policies) => createLastAnswers(localIn(policies), clock),

    decide(operation, request, keys, answered = []) {
      const { policies } = request.selection;
      const closed = policies.some(
        (policy, i) => !answered[i] && policy.role !== "advisory" && verdictOf(policy) === "closed",
      );
      const denied = policies.some(
        ({ role }, i) => answered[i]?.allowed === false && role !== "advisory",
      );
      // The request is denied anyway, so nothing is taken.
      const asked = (closed || denied) && operation === "consume" ? "peek" : operation;
      const counts = localCounts(request, keys).filter(({ row }) => !answered[row]);
      const reply = memory.decide(
        clock(),
        asked,
        counts.map(({ key }) => key),
        counts.map(({ cost }) => cost),
        counts.map(({ scaled }) => scaled),
        request.reservation?.slot,
      );
      const rows = policies.map(
        (policy, i) => answered[i] ?? rowWithoutStore(verdictOf(policy), policy),
      );
      const counted = new Set<number>();
      counts.forEach(({ row }, i) => {
        const answer = untilAnswer(reply.rows[i]!);
        rows[row] = counted.has(row) ? stricter(rows[row]!, answer) : answer;
        counted.add(row);
      });
      const allowed = isAllowed({ policies, rows });
      return { nowUs: reply.nowUs, rows, status: closed ? 503 : allowed ? 200 : 429 };
    },

    forget({ selection: { groups, policies }, partitions }, keys, nowMs) {
      groups.forEach(({ answers }, i) => answers.forget(partitions[i]!, nowMs));
      memory.reset(
        localIn(policies).flatMap((i) => [localKeyOf(policies[i]!, keys[i]!), keys[i]! + SEEN]),
      );
    },
  };
}

/** One local count of a policy. */
interface Counted {
  /** Its row in the decision. */
  readonly row: number;
  readonly policy: CompiledPolicy;
  /** The policy that this count enforces: this isolate's share. */
  readonly scaled: CompiledPolicy;
  readonly key: string;
  /** The key by which the store counts the policy. */
  readonly store: string;
  readonly cost: number;
}

/** The row of a policy that does not count without the store. */
function rowWithoutStore(verdict: FailureVerdict, { limit, role }: CompiledPolicy): Row {
  return verdict === "closed" && role !== "advisory"
    ? { allowed: false, remaining: 0, retryAfterUs: STORE_RETRY_US, resetAfterUs: STORE_RETRY_US }
    : { allowed: true, remaining: limit, retryAfterUs: 0, resetAfterUs: 0 };
}

/** A cost above the isolate's share never fits here, but it may as soon as the store answers. */
function untilAnswer(row: Row): Row {
  return row.retryAfterUs === Infinity ? { ...row, retryAfterUs: STORE_RETRY_US } : row;
}

/** The stricter of two counts of one policy. */
function stricter(a: Row, b: Row): Row {
  return {
    allowed: a.allowed && b.allowed,
    remaining: Math.min(a.remaining, b.remaining),
    retryAfterUs: Math.max(a.retryAfterUs, b.retryAfterUs),
    resetAfterUs: Math.max(a.resetAfterUs, b.resetAfterUs),
  };
}
