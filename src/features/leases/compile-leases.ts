import type { Duration } from "../../options/duration.ts";
import type { Faults } from "../../options/faults.ts";
import {
  LEASE_OF_DENIALS,
  LEASE_OF_FAILURES,
  LEASE_OF_SLOTS,
  LEASE_WITH_REFUND,
  LEASES_DIFFER,
} from "../../options/messages.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import type { Policy } from "../../policy/policy.ts";
import { tightenPolicy } from "../../policy/tighten.ts";
import { areTogether, AUTO } from "../../policy/traits.ts";
import { autoLeaseUs } from "./auto-lease.ts";
import { readLease } from "./read-lease.ts";

/** The policies, in the caller's order, and the same policies under each plan. */
interface Planned {
  readonly policies: readonly CompiledPolicy[];
  readonly plans: ReadonlyMap<string, readonly CompiledPolicy[]>;
}

/** The options that select leases. */
interface LeaseOptions {
  readonly lease?: Duration | typeof AUTO;
  readonly policies: readonly Policy[];
}

/**
 * Checks leases, and compiles the policies that Redis enforces, also under a plan: each is tightened by its lease.
 *
 * @param planned the policies, in the caller's order; empty after faults, and then only the lengths are checked
 */
export function compileLeases(
  options: LeaseOptions,
  planned: Planned,
  faults: Faults,
): (policy: CompiledPolicy) => CompiledPolicy {
  const checked = checkLeases(options, planned, faults);
  const termsOf = new Map(planned.policies.map(({ name }, i) => [name, checked[i]]));
  return (policy) => {
    const terms = termsOf.get(policy.name);
    return terms?.leaseUs === undefined
      ? policy
      : { ...tightenPolicy(policy, terms.leaseUs), ...terms };
  };
}

/** The lease of a policy; without a length it has none. */
type Terms = Pick<CompiledPolicy, "leaseUs" | "autoLease">;

/** The lease of each policy; `undefined` without one. */
function checkLeases(
  { lease, policies: unchecked }: LeaseOptions,
  { policies, plans }: Planned,
  faults: Faults,
): readonly (Terms | undefined)[] {
  // The shape of the list is checked elsewhere.
  const own = Array.isArray(unchecked)
    ? Array.from(unchecked as readonly unknown[], (policy) => Object(policy).lease as unknown)
    : [];
  const variantsOf = (i: number) => [policies, ...plans.values()].flatMap((list) => list[i] ?? []);
  const sharing = policies.flatMap((_, i) => (own[i] === undefined ? variantsOf(i) : []));
  const auto = (i: number): Terms => {
    const dimension = policies.flatMap((policy, at) =>
      areTogether(policy, policies[i]) ? variantsOf(at) : [],
    );
    const leaseUs = autoLeaseUs(dimension);
    return leaseUs === undefined ? {} : { leaseUs, autoLease: true };
  };
  const ofAll =
    lease === undefined || lease === AUTO
      ? undefined
      : { leaseUs: readLease(lease, "lease", sharing, faults) };
  const terms = own.map((each, i) => {
    if ((each ?? lease) === AUTO) return auto(i);
    if (each === undefined) return ofAll;
    return { leaseUs: readLease(each, `policies[${i}].lease`, variantsOf(i), faults) };
  });
  checkGroups(policies, terms, own, faults);
  return terms;
}

/** Checks the policies of one dimension together, because they are leased together. */
function checkGroups(
  policies: readonly CompiledPolicy[],
  terms: readonly (Terms | undefined)[],
  own: readonly unknown[],
  faults: Faults,
): void {
  policies.forEach((policy, i) => {
    const { role, refundable, countsFailures, implementation } = policy;
    const first = policies.findIndex((other) => areTogether(other, policy));
    // A limiter's automatic leases skip such policies; a policy that asks for a lease itself is at fault.
    const isLeased = terms[i]?.leaseUs !== undefined || own[i] === AUTO;
    if (isDifferent(terms[first], terms[i])) {
      faults.add(`policies[${i}].lease`, own[i], LEASES_DIFFER, first);
    } else if (role === "denials" && isLeased) {
      faults.add(`policies[${i}].counts`, "denials", LEASE_OF_DENIALS);
    } else if (countsFailures && isLeased) {
      faults.add(`policies[${i}].counts`, "failures", LEASE_OF_FAILURES);
    } else if (implementation.hasSlots && own[i] === AUTO) {
      faults.add(`policies[${i}].lease`, AUTO, LEASE_OF_SLOTS);
    } else if (refundable && isLeased) {
      faults.add(`policies[${i}].refundable`, true, LEASE_WITH_REFUND);
    }
  });
}

function isDifferent(one: Terms | undefined, other: Terms | undefined): boolean {
  return one?.leaseUs !== other?.leaseUs || one?.autoLease !== other?.autoLease;
}
