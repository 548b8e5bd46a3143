import type { FailureVerdict } from "../algorithms/algorithm.ts";
import { type CompiledPolicy, completePolicy } from "../policy/compile.ts";

/** The share of a policy that a verdict lets one isolate admit; `undefined` if the isolate does not count. */
export function localShareOf(verdict: FailureVerdict): number | undefined {
  if (verdict === "local") return 1;
  return typeof verdict === "object" ? verdict.local.share : undefined;
}

/** The policy that one isolate enforces when each is to admit this share. */
export function scalePolicy(policy: CompiledPolicy, share: number): CompiledPolicy {
  return share === 1 ? policy : completePolicy(policy, policy.implementation.scale(policy, share));
}
