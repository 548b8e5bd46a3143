import { StoreError } from "../options/errors.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { accountKeyOf } from "../store/lease-accounts.ts";
import type { Reply } from "../store/store.ts";
import type { CoreSettings, LimiterContext } from "./limiter-context.ts";
import type { Answer, PartitionRequest, AskStore, GroupVerdict } from "./step.ts";

/** Lists of all groups in order, as the store expects them. */
export interface StoreCall {
  readonly keys: readonly string[];
  readonly costs: readonly number[];
  readonly policies: readonly CompiledPolicy[];
}

/**
 * Asks the store about all groups with one call.
 *
 * @param partialAnswer only where several masters answer
 */
export function askStore(
  { store, now, keysOf }: LimiterContext<CoreSettings>,
  partialAnswer?: PartialAnswer,
): AskStore {
  return async ({ operation, groups, slot }) => {
    const { keys, costs, policies } = flatten(groups, keysOf);
    if (operation === "reset") {
      const leased = keys.filter((_, i) => policies[i]!.leaseUs !== undefined);
      await store.reset([...keys, ...leased.map(accountKeyOf)]);
      return { groups: [] };
    }
    const sentAtMs = now();
    try {
      const reply = await store.decide(operation, keys, costs, policies, slot);
      return { groups: verdictsOf(groups, reply, sentAtMs, now()) };
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return partialAnswer?.(groups, error, sentAtMs, now()) ?? unanswered(groups, error);
    }
  };
}

export function flatten(
  groups: readonly PartitionRequest[],
  keysOf: (asked: PartitionRequest) => readonly string[],
): StoreCall {
  // Most requests have one group, and need no new lists.
  if (groups.length === 1) {
    const { group, costs } = groups[0]!;
    return { keys: keysOf(groups[0]!), costs, policies: group.policies };
  }
  const keys: string[] = [];
  const costs: number[] = [];
  const policies: CompiledPolicy[] = [];
  for (const asked of groups) {
    keys.push(...keysOf(asked));
    costs.push(...asked.costs);
    policies.push(...asked.group.policies);
  }
  return { keys, costs, policies };
}

/** Splits a list with an item per policy into the items of each group. */
export function byGroup<Item>(
  groups: readonly PartitionRequest[],
  list: readonly Item[],
): readonly (readonly Item[])[] {
  let start = 0;
  return groups.map(({ group }) => list.slice(start, (start += group.policies.length)));
}

export function verdictsOf(
  groups: readonly PartitionRequest[],
  { rows, nowUs, clocksUs, estimated }: Reply,
  sentAtMs: number,
  receivedAtMs: number,
): GroupVerdict[] {
  if (groups.length === 1) {
    return [
      {
        asked: groups[0]!,
        rows,
        countedBy: "store",
        at: { nowUs, sentAtMs, receivedAtMs, estimated },
      },
    ];
  }
  const clocks = clocksUs && byGroup(groups, clocksUs);
  return byGroup(groups, rows).map((own, i) => ({
    asked: groups[i]!,
    rows: own,
    countedBy: "store",
    at: { nowUs: clocks?.[i]![0] ?? nowUs, sentAtMs, receivedAtMs, estimated },
  }));
}

/** Reads the answers of some of several masters from an error; `undefined` if it has none. */
export type PartialAnswer = (
  groups: readonly PartitionRequest[],
  error: StoreError,
  sentAtMs: number,
  receivedAtMs: number,
) => Answer | undefined;

function unanswered(groups: readonly PartitionRequest[], error: StoreError): Answer {
  return {
    groups: [],
    unanswered: groups.map((asked) => ({ asked, error, costs: asked.costs })),
    error,
  };
}
