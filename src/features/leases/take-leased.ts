import type { Row } from "../../algorithms/model.ts";
import type { CoreSettings, LimiterContext } from "../../decide/limiter-context.ts";
import { deniesIn } from "../../decide/local-denials.ts";
import {
  type Answer,
  type CountRequest,
  type PartitionRequest,
  askedIn,
  type AskStore,
  type GroupVerdict,
} from "../../decide/step.ts";
import { StoreError } from "../../options/errors.ts";
import type { LeaseAccess, LeaseAction } from "./lease-access.ts";

/**
 * Takes the whole cost of a request, or no units: first from leased units, then from the next leases, and the rest from
 * the store. Leased units go back if the store denies. A settlement always takes its cost, because its request is
 * admitted.
 */
export async function take(
  asked: CountRequest,
  accesses: ReadonlyMap<PartitionRequest, LeaseAccess>,
  ask: AskStore,
  { now, keysOf, store, settings }: LimiterContext<CoreSettings>,
): Promise<Answer> {
  const { groups, isSettlement } = asked;
  const sentAtMs = now();
  const spent = new Set<PartitionRequest>();
  const renewed = new Set<PartitionRequest>();
  const served = (action: LeaseAction) =>
    groups.filter((each) => accesses.get(each)?.action === action);
  // No other group may deny a request of one group, or one that is admitted already.
  const own = groups.length === 1 || isSettlement ? 1 : 0;
  // A ban counts a denial with the call that denies, so the request may not be admitted afterwards.
  const isCounted =
    !isSettlement &&
    groups.some(({ group }) => group.denying.some(({ role }) => role === "denials"));
  const unspent = () => groups.filter((each) => !spent.has(each));
  const spend = (each: PartitionRequest) => accesses.get(each)?.spend() === true && spent.add(each);
  const putBack = () => {
    if (isSettlement) return;
    for (const each of spent) accesses.get(each)!.putBack();
  };
  const admit = () => {
    for (const access of accesses.values()) access.admit();
  };

  /** The verdict about a group whose leased units were spent, or did not suffice. */
  function fromLease(each: PartitionRequest, allowed: boolean): GroupVerdict {
    const { rows, nowUs, estimated } = accesses.get(each)!.reply(allowed);
    const at = { nowUs, sentAtMs, receivedAtMs: now(), estimated };
    return {
      asked: each,
      rows,
      countedBy: "lease",
      at,
      ...(renewed.has(each) && { isRenewed: true }),
    };
  }

  /** The store's verdict, with waits no longer than those for units that are leased or on their way. */
  function asAnswered(verdict: GroupVerdict, askedAtMs: number): GroupVerdict {
    const rows = accesses.get(verdict.asked)?.answered(verdict.rows, askedAtMs);
    if (!rows) return verdict;
    return { ...verdict, rows: isCounted ? asDenied(verdict.rows, rows) : rows };
  }

  /** In the order of the request. */
  function withLeased(answered: readonly GroupVerdict[]): GroupVerdict[] {
    return groups.flatMap((each) =>
      spent.has(each) ? [fromLease(each, true)] : answered.filter((own) => own.asked === each),
    );
  }

  function deniedBy(each: PartitionRequest): Answer {
    putBack();
    return { groups: [fromLease(each, false)] };
  }

  /** Renews leases for the request. Returns the group whose lease was denied. */
  async function renew(leases: readonly PartitionRequest[]): Promise<PartitionRequest | undefined> {
    for (const each of leases) {
      const outcome = await accesses.get(each)!.renew(keysOf(each), own);
      renewed.add(each);
      if (outcome === "served") spent.add(each);
      // An advisory group never denies: the store reports its row, and the other groups decide.
      else if (outcome === "denied" && each.group.denying.length > 0 && !isSettlement) return each;
    }
    return undefined;
  }

  /** Asks the store about the remaining groups; again if leases that arrived meanwhile took the units it lacks. */
  async function askRest(): Promise<Answer> {
    for (;;) {
      const left = unspent();
      if (left.length === 0) {
        admit();
        return { groups: withLeased([]) };
      }
      const askedAtMs = now();
      const answer = await ask({ ...asked, groups: left });
      if (answer.error) return fromLeasesAlone(answer.error, answer);
      const denied = askedIn(answer.groups.filter(deniesIn));
      const answered = answer.groups.map((each) => asAnswered(each, askedAtMs));
      const isHeld =
        !isSettlement &&
        !isCounted &&
        denied.length > 0 &&
        denied.every((each) => accesses.get(each)?.canSpend());
      if (!isHeld) {
        if (denied.length === 0 || isSettlement) admit();
        else putBack();
        return { groups: withLeased(answered) };
      }
      denied.forEach(spend);
    }
  }

  /** Spends leased units if the store gave no answer. */
  function fromLeasesAlone(error: StoreError, answer?: Answer): Answer {
    const answered = answer?.groups ?? [];
    const isAnswered = new Set(askedIn(answered));
    const left = unspent().filter((each) => !isAnswered.has(each) && !spend(each));
    for (const each of left) accesses.get(each)?.drop();
    if (answered.length === 0 && left.length === 0) return { groups: withLeased([]) };
    const unansweredOf = (each: PartitionRequest) =>
      answer?.unanswered?.find((own) => own.asked === each) ?? {
        asked: each,
        error,
        costs: each.costs,
      };
    return {
      groups: withLeased(answered),
      unanswered: left.map(unansweredOf),
      error,
      async giveBack() {
        putBack();
        return (await answer?.giveBack?.()) ?? [];
      },
    };
  }

  const [unserved] = asked.mustReachStore ? [] : served("deny");
  if (unserved) return deniedBy(unserved);
  served("spend").forEach(spend);
  try {
    const leases = served("renew");
    const denied = leases.length > 0 ? await renew(leases) : undefined;
    // Its lease has the rows of one group; of several, the store gives all rows, and counts the denial.
    if (denied && groups.length === 1) return deniedBy(denied);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    // Other groups may have a master that answers.
    const isAlone = unspent().length === 1;
    if (isAlone || (await store.spansPartitions?.(settings.prefix)) !== false)
      return fromLeasesAlone(error);
  }
  return askRest();
}

/** The rows of a denial that stands although units are leased now: the next request may spend them at once. */
function asDenied(answered: readonly Row[], rows: readonly Row[]): readonly Row[] {
  return rows.map((row, i) =>
    answered[i]!.allowed || !row.allowed ? row : { ...row, allowed: false, retryAfterUs: 1 },
  );
}
