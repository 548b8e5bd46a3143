import type { CoreSettings, LimiterContext } from "../../decide/limiter-context.ts";
import {
  after,
  type CountRequest,
  type PartitionRequest,
  type Verdict,
} from "../../decide/step.ts";
import type { LeaseSteps } from "../../decide/steps-of-features.ts";
import type { LeaseAccess } from "./lease-access.ts";
import { createLeases } from "./leases.ts";
import { take } from "./take-leased.ts";

export function leaseSteps(context: LimiterContext<CoreSettings>): LeaseSteps {
  const { store, now, settings, perGroup } = context;
  const isLeased = settings.policies.some(({ leaseUs }) => leaseUs !== undefined);
  if (!isLeased) return {};
  const leasesOf = perGroup(({ policies }) => {
    // All policies of a group have the same lease.
    const { leaseUs, autoLease: isAuto = false } = policies[0]!;
    return leaseUs === undefined
      ? undefined
      : createLeases(store, policies, { leaseUs, isAuto }, now);
  });

  function accessesOf({ groups }: CountRequest): Map<PartitionRequest, LeaseAccess> {
    const accesses = new Map<PartitionRequest, LeaseAccess>();
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
    for (const { asked, countedBy } of groups) {
      // A lease has counted the demand when it was read.
      const cost = countedBy === "lease" ? 0 : leasedCost(asked);
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
          for (const each of group.variants) leasesOf(each)?.forget(partition);
        }
        return answer;
      }
      return (operation === "consume" || isSettlement) &&
        groups.some(({ group }) => leasesOf(group))
        ? take(asked, accessesOf(asked), ask, context)
        : ask(asked);
    },
  };
}

/** The cost of a request in a group; 0 if its policies' costs differ, so that the store decides. */
function leasedCost({ costs }: PartitionRequest): number {
  const cost = costs[0]!;
  return costs.every((each) => each === cost) ? cost : 0;
}
