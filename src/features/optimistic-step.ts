import type { CoreSettings, LimiterContext } from "../decide/limiter-context.ts";
import { type LocalDenials, isStoreAnswer } from "../decide/local-denials.ts";
import {
  after,
  type CountRequest,
  type PartitionRequest,
  type Decide,
  type Step,
  type Verdict,
} from "../decide/step.ts";
import type { LeaseSteps } from "../decide/steps-of-features.ts";
import { keepAlive } from "../runtime/keep-alive.ts";
import { createOptimisticPartitions, type OptimisticPartitions } from "./optimistic-partitions.ts";
import { admittedVerdict, ahead } from "./optimistic-verdict.ts";
import { type Admitted, close, settler } from "./settle-optimistic.ts";

/**
 * After a call without an answer, the store decides all requests for this long, and at least until it answers again. An
 * open circuit breaker lets one request a second through.
 */
const DISTRUST_MS = 1_000;

/** The groups of a request that are admitted ahead of the store, and those that have to be asked. */
interface Divided {
  readonly hopeful: readonly PartitionRequest[];
  readonly others: readonly PartitionRequest[];
}

/**
 * Admits requests before the store has counted them, if every policy that takes part allows it. Policies with leases
 * may take part, too, because spending leased units needs no wait. Leased units are spent first, because the store has
 * counted them.
 *
 * An isolate admits at most `unsettled` units of a partition without an answer, and none after an answer without room.
 * So it admits no more than these once the store has reached the limit.
 */
export function optimisticStep(
  context: LimiterContext<CoreSettings>,
  known: LocalDenials,
  lease?: LeaseSteps,
): Step<Decide> | undefined {
  const { settings, now, perGroup } = context;
  if (settings.policies.every(({ optimistic }) => optimistic === undefined)) return undefined;
  let events = 0;
  const tick = () => ++events;
  // A partition owes the store the same units under all plans.
  const partitionsOf: (group: PartitionRequest["group"]) => OptimisticPartitions | undefined =
    perGroup((group) => {
      const [base] = group.variants;
      if (base !== group) return partitionsOf(base!);
      const { policies } = group;
      // Rules may put a policy without the option beside them, and then all of them wait.
      const isAhead = policies.every((policy) => policy.optimistic !== undefined);
      return isAhead ? createOptimisticPartitions(policies.length, tick) : undefined;
    });
  const of = ({ group }: PartitionRequest) => partitionsOf(group)!;
  const isOptimistic = ({ group }: PartitionRequest) => partitionsOf(group) !== undefined;
  let failedAtMs = -Infinity;
  let isTrusted = true;

  function note({ groups, error }: Verdict, sentAt: number): void {
    if (error) {
      isTrusted = false;
      failedAtMs = now();
    }
    for (const each of groups) {
      // Leased units only prove an earlier state of the store's counts.
      if (!isStoreAnswer(each, { error }) || (each.countedBy === "lease" && !each.isRenewed))
        continue;
      isTrusted = true;
      if (isOptimistic(each.asked)) of(each.asked).note(each, sentAt);
    }
  }

  const shown = (each: Admitted) => admittedVerdict(each, context);

  function admittedBeside(asked: CountRequest, own: readonly Admitted[], others: Verdict): Verdict {
    if (others.reason === "cached-denial") return others;
    const verdicts = new Map(others.groups.map((each) => [each.asked, each]));
    for (const each of own) verdicts.set(each.asked, shown(each));
    const groups = asked.groups.flatMap((each) => verdicts.get(each) ?? []);
    return others.status === 200 && !others.error ? ahead(groups, context) : { ...others, groups };
  }

  /** Divides a request; `undefined` if the store has to decide it. */
  function divided(groups: readonly PartitionRequest[], nowMs: number): Divided | undefined {
    const hopeful: PartitionRequest[] = [];
    const others: PartitionRequest[] = [];
    for (const each of groups) {
      if (isOptimistic(each) && !lease?.covers?.(each)) {
        if (!of(each).admits(each, nowMs)) return undefined;
        hopeful.push(each);
      } else {
        if (!isLeased(each)) return undefined;
        others.push(each);
      }
    }
    return hopeful.length > 0 ? { hopeful, others } : undefined;
  }

  return (next) => {
    const { settle, sendWaiting } = settler(context, known, { next, of, tick, note });

    /** Sends units that were admitted in this turn, so that the store counts them first. */
    function sendFirst(groups: readonly PartitionRequest[]): void {
      const admitted = groups.flatMap((asked) => {
        const entry = partitionsOf(asked.group)?.find(asked.partition);
        return entry ? [{ asked, entry }] : [];
      });
      if (admitted.length > 0) keepAlive(sendWaiting(admitted));
    }

    function ask(asked: CountRequest): Verdict | Promise<Verdict> {
      sendFirst(asked.groups);
      const sentAt = tick();
      return after(next(asked), (verdict) => {
        note(verdict, sentAt);
        return verdict;
      });
    }

    async function afterOthers(
      asked: CountRequest,
      own: readonly Admitted[],
      others: readonly PartitionRequest[],
    ): Promise<Verdict> {
      let isAdmitted = false;
      try {
        const verdict = await next({ ...asked, groups: others });
        isAdmitted = verdict.status === 200;
        return admittedBeside(asked, own, verdict);
      } finally {
        if (isAdmitted) keepAlive(settle(own, asked.beside));
        else own.forEach(close);
      }
    }

    return (asked) => {
      const { operation, groups, slot, mustReachStore } = asked;
      if (operation === "reset") {
        sendFirst(groups);
        return after(next(asked), (verdict) => {
          for (const each of groups) partitionsOf(each.group)?.forget(each.partition);
          return verdict;
        });
      }
      if (operation !== "consume" || slot || mustReachStore) return ask(asked);
      const nowMs = now();
      if (!isTrusted || nowMs - failedAtMs < DISTRUST_MS) return ask(asked);
      const parts = divided(groups, nowMs);
      if (!parts) return ask(asked);
      const own = parts.hopeful.map((each) => ({ asked: each, entry: of(each).open(each, nowMs) }));
      if (parts.others.length > 0) return afterOthers(asked, own, parts.others);
      const verdict = ahead(own.map(shown), context);
      keepAlive(settle(own, asked.beside));
      return verdict;
    };
  };
}

/** Whether leases replace most calls to the store. All policies of a group have leases, or none has. */
function isLeased({ group }: PartitionRequest): boolean {
  return group.policies[0]!.leaseUs !== undefined;
}
