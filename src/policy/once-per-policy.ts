import type { CompiledPolicy } from "./compile.ts";

/** Computes a variant of a policy when it is first asked for, and always gives the same object. */
export function oncePerPolicy(
  compute: (policy: CompiledPolicy) => CompiledPolicy,
): (policy: CompiledPolicy) => CompiledPolicy {
  const known = new Map<CompiledPolicy, CompiledPolicy>();
  return (policy) => {
    const result = known.get(policy) ?? compute(policy);
    known.set(policy, result);
    return result;
  };
}
