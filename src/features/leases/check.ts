import type { Duration } from "../../options/duration.ts";
import type { Faults } from "../../options/faults.ts";
import {
  LEASES_DIFFER,
  LEASE_OF_DENIALS,
  LEASE_OF_FAILURES,
  LEASE_WITH_REFUND,
} from "../../options/messages.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import type { Policy } from "../../policy/policy.ts";
import { tightenPolicy } from "../../policy/tighten.ts";
import { readLease } from "./read-lease.ts";

/** The policies, in the order given, and the same ones under each plan. */
interface Planned {
  readonly policies: readonly CompiledPolicy[];
  readonly plans: ReadonlyMap<string, readonly CompiledPolicy[]>;
}

/** The options that say what is leased. */
interface LeaseOptions {
  readonly lease?: Duration;
  readonly policies: readonly Policy[];
}

/**
 * Checks what is leased, and compiles what Redis enforces of a policy, also under a plan: it is tightened by its lease.
 *
 * @param planned the policies, in the order given; without any after faults, and only the lengths are checked
 */
export function compileLeases(
  options: LeaseOptions,
  planned: Planned,
  faults: Faults,
): (policy: CompiledPolicy) => CompiledPolicy {
  const lengths = checkLeases(options, planned, faults);
  const lengthOf = new Map(planned.policies.map(({ name }, i) => [name, lengths[i]]));
  return (policy) => {
    const leaseUs = lengthOf.get(policy.name);
    return leaseUs === undefined ? policy : { ...tightenPolicy(policy, leaseUs), leaseUs };
  };
}

/** For each policy the length of its leases in microseconds; `undefined` without leases. */
function checkLeases(
  { lease, policies: given }: LeaseOptions,
  { policies, plans }: Planned,
  faults: Faults,
): readonly (number | undefined)[] {
  // Anything else than a list is a fault of its own.
  const own = Array.isArray(given)
    ? Array.from(given as readonly unknown[], (policy) => Object(policy).lease as unknown)
    : [];
  const variantsOf = (i: number) => [policies, ...plans.values()].flatMap((list) => list[i] ?? []);
  const sharing = policies.flatMap((_, i) => (own[i] === undefined ? variantsOf(i) : []));
  const leaseUs = lease === undefined ? undefined : readLease(lease, "lease", sharing, faults);
  const lengths = own.map((each, i) =>
    each === undefined ? leaseUs : readLease(each, `policies[${i}].lease`, variantsOf(i), faults),
  );
  checkGroups(policies, lengths, own, faults);
  return lengths;
}

/** Checks what concerns the policies of one dimension together, because they are leased together. */
function checkGroups(
  policies: readonly CompiledPolicy[],
  lengths: readonly (number | undefined)[],
  own: readonly unknown[],
  faults: Faults,
): void {
  policies.forEach(({ by, role, refundable, countsFailures }, i) => {
    const first = policies.findIndex((policy) => policy.by === by);
    if (lengths[first] !== lengths[i]) {
      faults.add(`policies[${i}].lease`, own[i], LEASES_DIFFER, first);
    } else if (role === "denials" && lengths[i] !== undefined) {
      faults.add(`policies[${i}].counts`, "denials", LEASE_OF_DENIALS);
    } else if (countsFailures && lengths[i] !== undefined) {
      faults.add(`policies[${i}].counts`, "failures", LEASE_OF_FAILURES);
    } else if (refundable && lengths[i] !== undefined) {
      faults.add(`policies[${i}].refundable`, true, LEASE_WITH_REFUND);
    }
  });
}
