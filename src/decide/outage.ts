import type { Row } from "../algorithms/model.ts";
import type { CoreSettings, LimiterContext } from "./limiter-context.ts";
import {
  type Answer,
  type CountRequest,
  type PartitionRequest,
  type AskStore,
  type Beside,
  type Decide,
  deniesIn,
  type GroupVerdict,
  NO_MOMENT,
  type Unanswered,
  type Verdict,
} from "./step.ts";

/**
 * Makes a verdict of the store's answer: a request is denied if a policy that may deny has no room. If there is no answer,
 * each policy's `onFailure` decides. Outside of this step every request has a verdict.
 */
export function outage(context: LimiterContext<CoreSettings>, ask: AskStore): Decide {
  const { local, now, keysOf, perGroup } = context;
  const lastOf = perGroup(({ policies }) => local.lastAnswersOf(policies));

  /** A group as this isolate's memory counts it. */
  const counted = (asked: PartitionRequest, costs: readonly number[]) => ({
    policies: asked.group.policies,
    partition: asked.partition,
    keys: keysOf(asked),
    costs,
  });

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

  /** Decides by each policy's `onFailure`, except for groups that the store answered. */
  async function withoutStore(
    operation: Exclude<CountRequest["operation"], "reset">,
    { groups, slot, beside }: CountRequest,
    { groups: answered, unanswered = [], error, giveBack }: Answer,
  ): Promise<Verdict> {
    const verdicts = new Map(answered.map((each) => [each.asked, each]));
    const isClosed = unanswered.some(({ asked }) => local.failsClosed(asked.group.denying));
    const isDenied = isClosed || answered.some(deniesIn);
    const shadows = beside?.unanswered ?? [];
    const left = [...unanswered.filter(({ asked }) => !asked.isCountedInMemory), ...shadows];
    const { nowUs, rows } = local.decide(
      // The request is denied anyway, so it takes no units.
      isDenied && operation === "consume" ? "peek" : operation,
      left.map(({ asked, costs }) => counted(asked, costs)),
      slot,
    );
    for (const each of unanswered) verdicts.set(each.asked, notCounted(each));
    left.forEach((each, i) => verdicts.set(each.asked, countedHere(each, rows[i]!, nowUs)));
    for (const { asked } of shadows) beside!.verdicts.set(asked, verdicts.get(asked)!);
    const inOrder = () => groups.flatMap((each) => verdicts.get(each) ?? []);
    const status = isClosed ? 503 : inOrder().some(deniesIn) ? 429 : 200;
    if (status !== 200 && giveBack) {
      for (const each of await giveBack()) verdicts.set(each.asked, each);
    }
    return { reason: "store-unavailable", status, nowUs, groups: inOrder(), error };
  }

  return async (asked) => {
    const { operation, groups } = asked;
    if (operation === "reset") {
      forget(groups);
      await ask(asked);
      forget(groups);
      return { reason: "allowed", status: 200, nowUs: 0, groups: [] };
    }
    const isLook = operation === "consume" && takesNothing(asked);
    const answer = await ask(isLook ? { ...asked, operation: "peek" } : asked);
    const verdict = answer.error
      ? await withoutStore(isLook ? "peek" : operation, asked, answer)
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
  const wasAsked = groups.some((each) => deniesIn(each) && isAsked(each));
  return { reason: wasAsked ? "limited" : "cached-denial", status: 429, nowUs, groups };
}

/** A spent lease is an earlier answer of the store, unless this request renewed it. */
function isAsked({ countedBy, isRenewed = false }: GroupVerdict): boolean {
  return countedBy !== "lease" || isRenewed;
}

function countedHere(
  { asked, error }: Unanswered,
  rows: readonly Row[],
  nowUs: number,
): GroupVerdict {
  return { asked, rows, countedBy: "memory", at: { ...NO_MOMENT, nowUs }, error };
}

/** The verdict of a charge that only the store may count. It never denies. */
function notCounted({ asked, error }: Unanswered): GroupVerdict {
  const rows = asked.group.policies.map(({ limit }) => ({
    allowed: true,
    remaining: limit,
    retryAfterUs: 0,
    resetAfterUs: 0,
  }));
  return { asked, rows, countedBy: "none", at: NO_MOMENT, error };
}
