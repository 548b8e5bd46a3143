import type { FailureVerdict } from "../algorithms/common-options.ts";
import type { Operation, Row } from "../algorithms/model.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { oncePerPolicy } from "../policy/once-per-policy.ts";
import type { Memory } from "../store/memory.ts";
import type { Slot } from "../store/store.ts";
import { createLastAnswers, type LastAnswer, type LastAnswers } from "./last-answers.ts";
import { localKeyOf, localPolicyOf, localShareOf } from "./local-share.ts";

/** Policies of one partition, for a decision by this isolate. */
export interface LocalGroup {
  readonly policies: readonly CompiledPolicy[];
  /** One per policy, as the store has them. */
  readonly keys: readonly string[];
  readonly costs: readonly number[];
  /** The store's last answer about them. */
  readonly last: LastAnswer | undefined;
}

/** Decides without the store. */
export interface LocalCounts {
  /** Decides one request by the policies' failure verdicts: the rows of each group. */
  decide(
    operation: Exclude<Operation, "lease">,
    groups: readonly LocalGroup[],
    slot?: Slot,
  ): { readonly nowUs: number; readonly rows: readonly (readonly Row[])[] };
  /** Whether one of these policies fails closed. */
  failsClosed(policies: readonly CompiledPolicy[]): boolean;
  /**
   * The last answers of the store about a group of policies: the same for the same keys, which groups with the numbers of
   * a plan and groups of shards have.
   */
  lastAnswersOf(policies: readonly CompiledPolicy[]): LastAnswers;
  /** Forgets the counts of these policies. */
  forget(policies: readonly CompiledPolicy[], keys: readonly string[]): void;
}

/** The wait, in microseconds, of requests that only the store can admit: until after the breaker's next probe. */
const STORE_RETRY_US = 1_000_000;

/** Suffix of the keys of counts that continue from the store's last answer. No policy's name contains it. */
export const SEEN = "~";

/**
 * Decides without the store, by each policy's failure verdict: `open` has room, `closed` has none, `local` counts in
 * this isolate's memory, with all of the limit or a share of it.
 *
 * There are two local counts per policy: one from zero, under the policy's own key, and one from what the store last
 * reported as used, under the key with `SEEN`. The first has the isolate's share of the limit. The second has all of
 * it, because the store reports what all isolates used. The stricter count decides, so an outage gives no fresh quota,
 * however often it comes and goes. The store does not count requests that are admitted here. A request that it executed
 * without answering in time counts in both places.
 *
 * @param clockUs to count by, in microseconds since 1970
 * @param memory for local counts; several limiters may share it
 */
export function createLocalCounts(
  defaultVerdict: FailureVerdict,
  clockUs: () => number,
  memory: Memory,
): LocalCounts {
  const failureVerdict = ({ onFailure }: CompiledPolicy) => onFailure ?? defaultVerdict;
  const shareOf = (policy: CompiledPolicy) => localShareOf(failureVerdict(policy));
  const scaledOf = oncePerPolicy((policy) => localPolicyOf(policy, shareOf(policy)!));
  const localIn = (policies: readonly CompiledPolicy[]) =>
    policies.flatMap((policy, i) => (shareOf(policy) === undefined ? [] : [i]));
  /** By the key of a group's first policy, which no other group has. */
  const lastAnswers = new Map<string, LastAnswers>();

  /**
   * Starts the second count of one group: charges what the store reported as used, at the time of its answer, and then
   * what the first count holds.
   */
  function countSeen(own: readonly Counted[], { atUs, used }: LastAnswer): void {
    const nowUs = clockUs();
    for (const [i, { key, storeKey, policy, scaled }] of own.entries()) {
      const seen = [storeKey + SEEN];
      const [row] = memory.decide(nowUs, "peek", [key], [1], [scaled]).rows;
      memory.reset(seen);
      const charge = (timeUs: number, units: number) => {
        if (units > 0) memory.decide(timeUs, "charge", seen, [units], [policy]);
      };
      charge(Math.min(atUs, nowUs), used[i]!);
      // A shard bears its part of the local count.
      const shareOfLimit = policy.limit / (policy.unsharded ?? policy).limit;
      charge(nowUs, Math.ceil((scaled.limit - row!.remaining) * shareOfLimit));
    }
  }

  /** The local counts of a group: first those by the policies' own keys, then those from the store's last answer. */
  function countsOf({ policies, keys, costs, last }: LocalGroup): readonly Counted[] {
    const own = localIn(policies).map((i): Counted => {
      const policy = policies[i]!;
      const key = localKeyOf(policy, keys[i]!);
      const scaled = scaledOf(policy);
      return { row: i, policy, scaled, key, storeKey: keys[i]!, cost: costs[i]! };
    });
    if (!last) return own;
    if (last.fresh) countSeen(own, last);
    const seen = own.map((each) => ({
      ...each,
      scaled: each.policy,
      key: each.storeKey + SEEN,
    }));
    return [...own, ...seen];
  }

  return {
    lastAnswersOf(policies) {
      const [{ key }] = policies as readonly [CompiledPolicy];
      const known = lastAnswers.get(key) ?? createLastAnswers(localIn(policies), clockUs);
      lastAnswers.set(key, known);
      return known;
    },
    failsClosed: (policies) => policies.some((policy) => failureVerdict(policy) === "closed"),

    decide(operation, groups, slot) {
      const byGroup = groups.map(countsOf);
      const counts = byGroup.flat();
      const { nowUs, rows: answers } = memory.decide(
        clockUs(),
        operation,
        counts.map(({ key }) => key),
        counts.map(({ cost }) => cost),
        counts.map(({ scaled }) => scaled),
        slot,
      );
      let start = 0;
      const rows = groups.map(({ policies }, group) => {
        const own = byGroup[group]!;
        const from = start;
        start += own.length;
        return policies.map((policy, i) => {
          const counted = answers.slice(from, start).filter((_, at) => own[at]!.row === i);
          if (counted.length === 0) return rowWithoutCount(failureVerdict(policy), policy);
          return counted.map(untilAnswer).reduce(stricter);
        });
      });
      return { nowUs, rows };
    },

    forget(policies, keys) {
      // The counts from the last answer begin anew with the next one.
      memory.reset(localIn(policies).map((i) => localKeyOf(policies[i]!, keys[i]!)));
    },
  };
}

/** One local count of a policy. */
interface Counted {
  /** Its row in the group. */
  readonly row: number;
  readonly policy: CompiledPolicy;
  /** The policy that this count enforces: this isolate's share. */
  readonly scaled: CompiledPolicy;
  readonly key: string;
  /** The key by which the store counts the policy. */
  readonly storeKey: string;
  readonly cost: number;
}

/** The row of a policy that does not count without the store. */
function rowWithoutCount(verdict: FailureVerdict, { limit, role }: CompiledPolicy): Row {
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
