import type { LeaseSteps } from "../../decide/features.ts";
import type { CoreSettings, Kit } from "../../decide/kit.ts";
import {
  after,
  type Answer,
  type Ask,
  type Asked,
  type AskedGroup,
  askedIn,
  deniesIn,
  type GroupVerdict,
  type Verdict,
} from "../../decide/step.ts";
import { StoreError } from "../../errors/errors.ts";
import type { LeaseAccess, Step } from "./lease-access.ts";
import { createLeases } from "./leases.ts";

/** The steps of policies with leases. */
export function leaseSteps(kit: Kit<CoreSettings>): LeaseSteps {
  const { store, now, settings, perGroup } = kit;
  const isLeased = settings.policies.some(({ leaseUs }) => leaseUs !== undefined);
  if (!isLeased) return {};
  const leasesOf = perGroup(({ policies }) => {
    // All policies of a group have the same lease.
    const { leaseUs, autoLease: isAuto = false } = policies[0]!;
    return leaseUs === undefined
      ? undefined
      : createLeases(store, policies, { leaseUs, isAuto }, now);
  });

  /** For each group that has leases, the request's access to them. */
  function accessesOf({ groups }: Asked): Map<AskedGroup, LeaseAccess> {
    const accesses = new Map<AskedGroup, LeaseAccess>();
    for (const asked of groups) {
      const cost = leasedCost(asked);
      const access = cost > 0 ? leasesOf(asked.group)?.access(asked.partition, cost) : undefined;
      if (access) accesses.set(asked, access);
    }
    return accesses;
  }

  /** Denied requests still count as demand. */
  function countDenied({ reason, groups }: Verdict): void {
    if (reason !== "cached-denial") return;
    for (const { asked } of groups) {
      const cost = leasedCost(asked);
      if (cost > 0) leasesOf(asked.group)?.countDenied(asked.partition, cost);
    }
  }

  return {
    countDemand: (next) => (asked) =>
      after(next(asked), (verdict) => {
        countDenied(verdict);
        return verdict;
      }),

    covers(asked) {
      const cost = leasedCost(asked);
      return cost > 0 && leasesOf(asked.group)?.covers(asked.partition, cost) === true;
    },

    spend: (ask) => async (asked) => {
      const { operation, groups, isSettlement } = asked;
      if (operation === "reset") {
        const answer = await ask(asked);
        for (const { group, partition } of groups) {
          for (const each of [group, ...group.variants]) leasesOf(each)?.forget(partition);
        }
        return answer;
      }
      return (operation === "consume" || isSettlement) &&
        groups.some(({ group }) => leasesOf(group))
        ? take(asked, accessesOf(asked), ask, kit)
        : ask(asked);
    },
  };
}

/** The cost of a request in a group; 0 if its policies' costs differ, so that the store decides. */
function leasedCost({ costs }: AskedGroup): number {
  const cost = costs[0]!;
  return costs.every((each) => each === cost) ? cost : 0;
}

/**
 * Takes the whole cost of a request, or no units: first from held units, then from the next leases, and the rest from
 * the store. Held units go back if the store denies. A settlement always takes its cost, because its request is
 * admitted.
 */
async function take(
  asked: Asked,
  accesses: ReadonlyMap<AskedGroup, LeaseAccess>,
  ask: Ask,
  { now, keysOf }: Kit<CoreSettings>,
): Promise<Answer> {
  const { groups, isSettlement } = asked;
  const sentAtMs = now();
  const spent = new Set<AskedGroup>();
  const renewed = new Set<AskedGroup>();
  const withStep = (step: Step) => groups.filter((each) => accesses.get(each)?.step === step);
  const unspent = () => groups.filter((each) => !spent.has(each));
  const spend = (each: AskedGroup) => accesses.get(each)?.spend() === true && spent.add(each);
  const putBack = () => {
    if (isSettlement) return;
    for (const each of spent) accesses.get(each)!.putBack();
  };
  const admit = () => {
    for (const access of accesses.values()) access.admit();
  };

  /** The verdict about a group whose held units were spent, or did not suffice. */
  function held(each: AskedGroup, allowed: boolean): GroupVerdict {
    const { rows, nowUs, estimated } = accesses.get(each)!.reply(allowed);
    const at = { nowUs, sentAtMs, receivedAtMs: now(), estimated };
    return { asked: each, rows, by: "lease", at, ...(renewed.has(each) && { isRenewed: true }) };
  }

  /** The store's verdict, with waits no longer than those for units that are held or on their way. */
  function asAnswered(verdict: GroupVerdict, askedAtMs: number): GroupVerdict {
    const rows = accesses.get(verdict.asked)?.answered(verdict.rows, askedAtMs);
    return rows ? { ...verdict, rows } : verdict;
  }

  /** In the order of the request. */
  function withHeld(answered: readonly GroupVerdict[]): GroupVerdict[] {
    return groups.flatMap((each) =>
      spent.has(each) ? [held(each, true)] : answered.filter((own) => own.asked === each),
    );
  }

  function deniedBy(each: AskedGroup): Answer {
    putBack();
    return { groups: [held(each, false)] };
  }

  /** Renews leases for the request. Returns the group whose lease was denied. */
  async function renew(leases: readonly AskedGroup[]): Promise<AskedGroup | undefined> {
    for (const each of leases) {
      const isServed = await accesses.get(each)!.renew(keysOf(each));
      renewed.add(each);
      if (isServed) spent.add(each);
      // An advisory group never denies: the store reports its row, and the other groups decide.
      else if (each.group.denying.length > 0 && !isSettlement) return each;
    }
    return undefined;
  }

  /** Asks the store about the remaining groups; again if leases that arrived meanwhile took the units it lacks. */
  async function askRest(): Promise<Answer> {
    for (;;) {
      const left = unspent();
      if (left.length === 0) {
        admit();
        return { groups: withHeld([]) };
      }
      const askedAtMs = now();
      const answer = await ask({ ...asked, groups: left });
      if (answer.error) return withoutStore(answer.error, answer);
      const denying = askedIn(answer.groups.filter(deniesIn));
      const answered = answer.groups.map((each) => asAnswered(each, askedAtMs));
      const isHeld =
        !isSettlement &&
        denying.length > 0 &&
        denying.every((each) => accesses.get(each)?.canSpend());
      if (!isHeld) {
        if (denying.length === 0 || isSettlement) admit();
        else putBack();
        return { groups: withHeld(answered) };
      }
      denying.forEach(spend);
    }
  }

  /** Spends held units if the store gave no answer. */
  function withoutStore(error: StoreError, answer?: Answer): Answer {
    const answered = answer?.groups ?? [];
    const isAnswered = new Set(askedIn(answered));
    const left = unspent().filter((each) => !isAnswered.has(each) && !spend(each));
    for (const each of left) accesses.get(each)?.drop();
    if (answered.length === 0 && left.length === 0) return { groups: withHeld([]) };
    const unansweredOf = (each: AskedGroup) =>
      answer?.unanswered?.find((own) => own.asked === each) ?? {
        asked: each,
        error,
        costs: each.costs,
      };
    return {
      groups: withHeld(answered),
      unanswered: left.map(unansweredOf),
      error,
      async giveBack() {
        putBack();
        return (await answer?.giveBack?.()) ?? [];
      },
    };
  }

  const [short] = withStep("deny");
  if (short) return deniedBy(short);
  withStep("spend").forEach(spend);
  try {
    const leases = withStep("renew");
    const denying = leases.length > 0 ? await renew(leases) : undefined;
    if (denying) return deniedBy(denying);
  } catch (error) {
    if (error instanceof StoreError) return withoutStore(error);
    throw error;
  }
  return askRest();
}
