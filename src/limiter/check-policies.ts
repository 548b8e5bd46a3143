import type { Faults } from "../options/faults.ts";
import {
  NO_DIMENSION,
  ONLY_DENIALS,
  SHARDS_WITH_LEASE,
  STORE_WITHOUT_REFUND,
} from "../options/messages.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { Policy } from "../policy/policy.ts";
import { checkShards } from "../policy/shards.ts";
import type { Store } from "../store/store.ts";
import type { LimiterOptions } from "./options.ts";

/** Checks that every policy says what it counts by, or none does. */
export function checkBy(policies: readonly CompiledPolicy[], faults: Faults): void {
  const without = policies.findIndex(({ by }) => by === undefined);
  if (without >= 0 && policies.some(({ by }) => by !== undefined)) {
    faults.add(`policies[${without}].by`, undefined, NO_DIMENSION);
  }
}

/** Rejects policies that all count the denials of others: there would be none. */
export function checkCounts(
  policies: readonly CompiledPolicy[],
  path: string,
  faults: Faults,
): void {
  if (policies.length === 0 || policies.some(({ role }) => role !== "denials")) return;
  faults.add(path, "denials", ONLY_DENIALS);
}

/** Checks into how many shards policies are split, and that none of these has leases. */
export function checkSharding(
  { policies, lease }: Pick<LimiterOptions, "policies" | "lease">,
  faults: Faults,
): void {
  if (!Array.isArray(policies)) return;
  policies.forEach((policy: Policy, i) => {
    const path = `policies[${i}]`;
    checkShards(policy, path, faults);
    const { shards, lease: own = lease } = Object(policy) as Policy;
    if (shards === undefined || own === undefined) return;
    faults.add(`${path}.shards`, shards, SHARDS_WITH_LEASE);
  });
}

/** Rejects a store of somebody's own that cannot give back, where a policy wants it. */
export function checkRefundable(
  policies: readonly CompiledPolicy[],
  { refund }: Pick<Store, "refund">,
  faults: Faults,
): void {
  const first = policies.findIndex(({ refundable }) => refundable);
  if (first === -1 || typeof refund === "function") return;
  const [option, given] = policies[first]!.countsFailures
    ? ["counts", "failures"]
    : ["refundable", true];
  faults.add(`policies[${first}].${option}`, given, STORE_WITHOUT_REFUND);
}
