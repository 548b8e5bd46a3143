import type { CompiledPolicy } from "./compile.ts";

/** Computes a variant of a policy, or a step's state for it, when it is first asked for, and always gives the same object. */
export function oncePerPolicy<Result extends object>(
  compute: (policy: CompiledPolicy) => Result,
): (policy: CompiledPolicy) => Result {
  const known = new Map<CompiledPolicy, Result>();
  return (policy) => {
    const result = known.get(policy) ?? compute(policy);
    known.set(policy, result);
    return result;
  };
}
