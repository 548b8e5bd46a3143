import { StoreError } from "../options/errors.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { accountKeyOf } from "../store/lease-accounts.ts";
import type { Reply } from "../store/store.ts";
import type { CoreSettings, LimiterContext } from "./limiter-context.ts";
import { deniesIn } from "./local-denials.ts";
import type { Reason } from "./outcome.ts";
import type {
  Answer,
  AskStore,
  Beside,
  CountRequest,
  Decide,
  GroupVerdict,
  PartitionRequest,
  Verdict,
} from "./step.ts";
import { decideWithoutStore } from "./without-store.ts";

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
  { rows, nowUs, clocksUs, estimated, isFromRegion }: Reply,
  sentAtMs: number,
  receivedAtMs: number,
): GroupVerdict[] {
  if (groups.length === 1) {
    return [
      {
        asked: groups[0]!,
        rows,
        countedBy: "store",
        isFromRegion,
        at: { nowUs, sentAtMs, receivedAtMs, estimated },
      },
    ];
  }
  const clocks = clocksUs && byGroup(groups, clocksUs);
  return byGroup(groups, rows).map((own, i) => ({
    asked: groups[i]!,
    rows: own,
    countedBy: "store",
    isFromRegion,
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

/**
 * Makes a verdict of the store's answer: a request is denied if a policy that may deny has no room. If there is no answer,
 * each policy's `onFailure` decides. Outside of this step every request has a verdict.
 */
export function makeVerdict(context: LimiterContext<CoreSettings>, ask: AskStore): Decide {
  const { local, now, keysOf, perGroup } = context;
  const lastOf = perGroup(({ policies }) => local.lastAnswersOf(policies));
  const withoutStore = decideWithoutStore(context);

  function forget(groups: readonly PartitionRequest[]): void {
    for (const asked of groups) {
      lastOf(asked.group).forget(asked.partition, now());
      local.forget(asked.group.policies, keysOf(asked));
    }
  }

  /** Also if other groups have no answer: their master may be silent long before this one's. */
  function note({ groups }: Verdict, beside: Beside | undefined): void {
    const all = beside ? [...groups, ...beside.verdicts.values()] : groups;
    for (const { asked, rows, at, countedBy } of all) {
      if (countedBy !== "store" && countedBy !== "lease") continue;
      const { policies } = asked.group;
      const reply = { nowUs: at.nowUs, rows, policies };
      lastOf(asked.group).note(asked.partition, reply, at.sentAtMs, at.receivedAtMs);
    }
  }

  return async (asked) => {
    const { operation, groups } = asked;
    if (operation === "reset") {
      forget(groups);
      await ask(asked);
      forget(groups);
      return { reason: "allowed", status: 200, nowUs: 0, groups: [] };
    }
    const isPeek = operation === "consume" && takesNothing(asked);
    const answer = await ask(isPeek ? { ...asked, operation: "peek" } : asked);
    const verdict = answer.error
      ? await withoutStore(isPeek ? "peek" : operation, asked, answer)
      : verdictOf(answer.groups);
    note(verdict, asked.beside);
    return verdict;
  };
}

/** A request without a cost takes no units; policies that count denials still count its denial. */
function takesNothing({ groups, beside }: CountRequest): boolean {
  if (beside?.groups.some(({ costs }) => costs.some((cost) => cost > 0))) return false;
  for (const { group, costs } of groups) {
    for (const cost of costs) if (cost > 0) return false;
    if (!group.isPlain && group.policies.some(({ role }) => role !== "enforced")) return false;
  }
  return true;
}

function verdictOf(groups: readonly GroupVerdict[]): Verdict {
  let isDenied = false;
  let nowUs = 0;
  for (const each of groups) {
    isDenied ||= deniesIn(each);
    // The latest clock of several masters, or of a lease.
    if (each.at.nowUs > nowUs) nowUs = each.at.nowUs;
  }
  if (!isDenied) return { reason: "allowed", status: 200, nowUs, groups };
  return { reason: reasonOf(groups.filter(deniesIn)), status: 429, nowUs, groups };
}

function reasonOf(denying: readonly GroupVerdict[]): Reason {
  if (!denying.some(isFreshAnswer)) return "cached-denial";
  return denying.some(({ isFromRegion }) => isFromRegion) ? "region-denial" : "limited";
}

/** A spent lease is an earlier answer of the store, unless this request renewed it. */
function isFreshAnswer({ countedBy, isRenewed = false }: GroupVerdict): boolean {
  return countedBy !== "lease" || isRenewed;
}
