import type { FailureVerdict } from "../algorithms/common-options.ts";
import { type Operation, type Row, type Slot, takes } from "../algorithms/model.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { DecideTogether } from "../store/decide-together.ts";
import { createLastAnswers, type LastAnswers } from "./last-answers.ts";
import { rowOf, rowWithoutCount } from "./local-rows.ts";
import { localKeyOf, localLimitOf, localShareOf } from "./local-share.ts";
import type { LocalSlots } from "./local-slots.ts";
import type { LocalUnits, UsedUnits } from "./local-units.ts";

/** Policies of one partition, for a decision by this isolate. */
export interface LocalGroup {
  readonly policies: readonly CompiledPolicy[];
  /** The partition key by which the store's last answers about them are noted. */
  readonly partition: string;
  /** One per policy, as the store has them. */
  readonly keys: readonly string[];
  readonly costs: readonly number[];
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
  /** Whether a policy counts here. */
  counts(policy: CompiledPolicy): boolean;
  readonly units: LocalUnits;
  readonly slots: LocalSlots | undefined;
  /** Forgets the counts of these policies. */
  forget(policies: readonly CompiledPolicy[], keys: readonly string[]): void;
}

/** The parts that count without the store. */
export interface LocalParts {
  /** Several limiters may share it. */
  readonly units: LocalUnits;
  /** Set if a policy gives slots. */
  readonly slots?: LocalSlots | undefined;
  readonly together: DecideTogether;
}

/**
 * Decides without the store, by each policy's failure verdict: `open` has room, `closed` has none, `local` counts in
 * this isolate's memory, with all of the limit or a share of it.
 *
 * Two numbers bound each local count. The units admitted here, by all shards together, have the isolate's share of the limit.
 * With the units that the store last reported as used, by all isolates, they have all of it. So an outage gives no fresh quota,
 * however often it comes and goes. The store does not count requests that are admitted here. A request that it executed
 * without answering in time counts in both places.
 *
 * @param clockUs to count by, in microseconds since 1970
 */
export function createLocalCounts(
  defaultVerdict: FailureVerdict,
  clockUs: () => number,
  { units, slots, together }: LocalParts,
): LocalCounts {
  const failureVerdict = ({ onFailure }: CompiledPolicy) => onFailure ?? defaultVerdict;
  const shareOf = (policy: CompiledPolicy) => localShareOf(failureVerdict(policy));
  const countsHere = (policy: CompiledPolicy) => shareOf(policy) !== undefined;
  const localIn = (policies: readonly CompiledPolicy[]) =>
    policies.flatMap((policy, i) => (countsHere(policy) ? [i] : []));
  /** By the key of a group's first policy, which no other group has. */
  const lastAnswers = new Map<string, LastAnswers>();

  function lastAnswersOf(policies: readonly CompiledPolicy[]): LastAnswers {
    const [{ key }] = policies as readonly [CompiledPolicy];
    const known = lastAnswers.get(key) ?? createLastAnswers(localIn(policies), clockUs);
    lastAnswers.set(key, known);
    return known;
  }

  /** The policies of a group with what they count by, in order. */
  function countsOf({ policies, partition, keys, costs }: LocalGroup, nowUs: number): Counted[] {
    const last = lastAnswersOf(policies).find(partition, nowUs);
    const local = localIn(policies);
    return policies.map((policy, i) => ({
      policy,
      key: localKeyOf(policy, keys[i]!),
      cost: costs[i]!,
      there: last?.[local.indexOf(i)],
    }));
  }

  return {
    units,
    slots,
    counts: countsHere,
    lastAnswersOf,
    failsClosed: (policies) => policies.some((policy) => failureVerdict(policy) === "closed"),

    decide(operation, groups, slot) {
      const nowUs = clockUs();
      const counts = groups.flatMap((group) => countsOf(group, nowUs));
      const rows = together(
        operation,
        counts.map(({ cost }) => cost),
        counts.map(({ policy }) => policy),
        (i, pass, cost) => {
          const { policy, key, there } = counts[i]!;
          const share = shareOf(policy);
          if (share === undefined) return rowWithoutCount(failureVerdict(policy), policy);
          const limit = localLimitOf(policy, share);
          if (policy.implementation.hasSlots) {
            return slots!.ask(key, { ...policy, limit }, pass, cost, nowUs, slot);
          }
          const row = (used: UsedUnits) => rowOf(policy, { limit, used, there }, pass, cost);
          const { sinceUs, ...used } = units.find(key, policy, nowUs);
          const before = row(used);
          if (cost === 0 || !takes(pass, before.allowed)) return before;
          units.set(key, sinceUs, used.used + cost);
          return { ...row(units.find(key, policy, nowUs)), allowed: before.allowed };
        },
      );
      let start = 0;
      return {
        nowUs,
        rows: groups.map(({ policies }) => rows.slice(start, (start += policies.length))),
      };
    },

    forget(policies, keys) {
      for (const i of localIn(policies)) {
        const counts = policies[i]!.implementation.hasSlots ? slots! : units;
        counts.forget(localKeyOf(policies[i]!, keys[i]!));
      }
    },
  };
}

/** A policy of a request that is decided here. */
interface Counted {
  readonly policy: CompiledPolicy;
  /** By which this isolate counts it. */
  readonly key: string;
  readonly cost: number;
  /** The units that are used by the store's last answer, for a policy that counts here. */
  readonly there: UsedUnits | undefined;
}
