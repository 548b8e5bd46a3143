import { deny } from "../decide/known-denials.ts";
import type { CoreSettings, LimiterContext } from "../decide/limiter-context.ts";
import type { LocalDenials } from "../decide/local-denials.ts";
import type { CountRequest, PartitionRequest, Decide, Step, Verdict } from "../decide/step.ts";
import type { SharedDenials } from "./shared-denials.ts";

export interface SharedDenialSettings extends CoreSettings {
  readonly sharedDenials?: SharedDenials;
}

/**
 * After a known denial has expired, reads the answers that other isolates have published since, and publishes its own.
 * A client that was never denied does not wait for the shared cache.
 */
export function throughSharedDenials(
  { settings, now, perGroup }: LimiterContext<SharedDenialSettings>,
  known: LocalDenials,
): Step<Decide> | undefined {
  const { sharedDenials, prefix } = settings;
  if (!sharedDenials) return undefined;
  const sharingOf = perGroup((group) =>
    // While one isolate waits for its next lease, others may still hold units.
    group.policies[0]!.leaseUs === undefined
      ? sharedDenials.share(
          { prefix, policies: group.denying, now },
          known.clocks,
          known.cacheFor(group),
        )
      : undefined,
  );

  async function ask(
    next: Decide,
    asked: CountRequest,
    shared: readonly PartitionRequest[],
  ): Promise<Verdict> {
    for (const each of shared) {
      const denial = await sharingOf(each.group)!.read(each.partition, each.costs);
      if (denial) return deny(each, denial);
    }
    const verdict = await next(asked);
    if (verdict.error) return verdict;
    publish(verdict, await known.isReliable(asked, verdict));
    return verdict;
  }

  function publish({ groups }: Verdict, isReliable: boolean): void {
    for (const { asked, rows, at } of groups) {
      const sharing = asked.wasDenied && sharingOf(asked.group);
      if (!sharing) continue;
      const { nowUs } = at;
      if (isReliable) sharing.publish(asked.partition, asked.costs, { nowUs, rows });
      else sharing.forget(asked.partition);
    }
  }

  function forget({ groups }: CountRequest): void {
    for (const { group, partition } of groups) {
      for (const each of group.variants) sharingOf(each)?.forget(partition);
    }
  }

  /** Other isolates may not have known this denial yet, or have forgotten that they did. */
  async function publishSettled(asked: CountRequest, verdict: Verdict): Promise<void> {
    if (verdict.error || !(await known.isReliable(asked, verdict))) return;
    for (const { asked: own, rows, at } of verdict.groups) {
      if (rows.every(({ retryAfterUs }) => retryAfterUs === 0)) continue;
      // After a charge, the wait is for one more unit.
      sharingOf(own.group)?.publish(own.partition, own.group.defaultCosts, {
        nowUs: at.nowUs,
        rows,
      });
    }
  }

  return (next) => async (asked) => {
    if (asked.operation === "reset") {
      const verdict = await next(asked);
      forget(asked);
      return verdict;
    }
    if (asked.isSettlement) {
      const verdict = await next(asked);
      await publishSettled(asked, verdict);
      return verdict;
    }
    const shared = asked.groups.filter(({ wasDenied, group }) => wasDenied && sharingOf(group));
    return shared.length > 0 ? ask(next, asked, shared) : next(asked);
  };
}
