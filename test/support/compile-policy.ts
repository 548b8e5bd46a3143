import { IMPLEMENTATION } from "../../src/algorithms/algorithm.ts";
import { Faults } from "../../src/options/faults.ts";
import { type CompiledPolicy, compilePolicies } from "../../src/policy/compile.ts";
import { fromData } from "../../src/policy/from-data.ts";
import { checkLimiterTraits } from "../../src/policy/limiter-traits.ts";
import type { Policy } from "../../src/policy/policy.ts";

/** Policies, made by builders or plain data, as a store takes them; throws their faults. */
export function compile(policies: readonly Policy[]): readonly CompiledPolicy[] {
  const faults = new Faults();
  const compiled = compilePolicies(
    policies.map(compilable),
    "policies",
    faults,
    checkLimiterTraits,
  );
  faults.throwIfAny();
  return compiled;
}

/** Data cannot name every algorithm that a builder makes. */
function compilable(policy: Policy): unknown {
  return IMPLEMENTATION in policy ? policy : fromData(policy);
}

export function compilePolicy(policy: Policy): CompiledPolicy {
  return compile([policy])[0]!;
}
