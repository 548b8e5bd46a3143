import { isRecord } from "../../../../src/options/record.ts";
import type { CompiledPolicy } from "../../../../src/policy/compile.ts";
import { hasUnitsToLease } from "../../../../src/policy/tighten.ts";
import type { WantedLease } from "../doctor/checks/leases.ts";
import { checkedVariables, parseFile } from "./check-text.ts";
import { gatewayOf } from "./faults-of.ts";

/** The leases that the rules of a wrangler file ask for; none of a file with faults. */
export function leasesIn(file: string, text: string): readonly WantedLease[] {
  const { value, faults } = parseFile(file, text);
  if (faults.length > 0) return [];
  return checkedVariables(file, value).flatMap(({ path, vars }) => {
    const asking = policiesWith("lease", vars["RULES"]);
    return policiesOf(vars)
      .filter(({ name }) => asking.has(name))
      .map((policy) => wanted(path, policy));
  });
}

function policiesOf(vars: Readonly<Record<string, unknown>>): readonly CompiledPolicy[] {
  try {
    return gatewayOf(vars).ruleset.rules.flatMap(({ settings }) => settings.policies);
  } catch {
    // The check of rules says what is wrong.
    return [];
  }
}

/** The names of policies that have an option. */
function policiesWith(option: string, rules: unknown): ReadonlySet<string> {
  const list = Array.isArray(rules) ? rules.filter(isRecord) : [];
  const policies = list.flatMap(({ policies: each }) => (Array.isArray(each) ? each : []));
  const having = policies.filter((each) => isRecord(each) && each[option] !== undefined);
  return new Set(having.map((each) => String((each as { name?: unknown }).name)));
}

function wanted(path: string, policy: CompiledPolicy): WantedLease {
  const { name, limit, leaseUs } = policy;
  const named = `${path}: ${name}`;
  if (leaseUs !== undefined) return { policy: named, leaseMs: leaseUs / 1000 };
  return { policy: named, never: hasUnitsToLease(limit) ? "window" : "limit" };
}
