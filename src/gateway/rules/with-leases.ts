import type { CompiledPolicy } from "../../policy/compile.ts";
import { fitsLease, leavesEnough, tightenForRegion, tightenPolicy } from "../../policy/tighten.ts";
import { areTogether } from "../../policy/traits.ts";

/**
 * Tightens the policies with other numbers for their leases, or for the terms of their region, which the policies of rules have. If
 * a lease does not fit numbers, the dimension's policies, which are leased together, lose their leases. Their windows are as long as
 * those of the others all the same: clients without these numbers may lease from the same keys, and spend late. A bucket stays as it
 * is, and a window of which a lease would leave too little, so that a client can be given any numbers.
 */
export function withLeases(
  planned: readonly CompiledPolicy[],
  policies: readonly CompiledPolicy[],
): readonly CompiledPolicy[] {
  const isMisfit = (policy: CompiledPolicy, i: number) =>
    policy !== policies[i] && !fitsLease(policy);
  const misfits = planned.filter(isMisfit);
  return planned.map((policy, i) => {
    const { leaseUs, region } = policy;
    if (leaseUs === undefined && !region) return policy;
    const tightened =
      region && fitsLease(policy)
        ? tightenForRegion(policy, region)
        : tightenPolicy(policy, leaseUs ?? region!.termUs);
    // A longer window has to be that of all policies of its key; the limit of a bucket is its own.
    const isShared = tightened.windowUs > policy.windowUs && leavesEnough(policy);
    const isTightened = policy !== policies[i] && (isShared || !isMisfit(policy, i));
    const enforced = isTightened ? tightened : policy;
    const isExact = misfits.some((other) => areTogether(other, policy));
    return isExact
      ? { ...enforced, leaseUs: undefined, autoLease: false, region: undefined }
      : enforced;
  });
}
