import type { Policy } from "../../../src/policy/policy.ts";
import { factsOf } from "../algorithms/all.ts";
import { compilePolicy } from "../compile-policy.ts";
import type { Admission } from "../model/trailing-window.ts";

/** By how many units admissions broke the promise of this policy, as it was given; 0 or less if they did not. */
export const excessOf = (policy: Policy, admissions: readonly Admission[]): number =>
  factsOf(policy.algorithm).excessOf(compilePolicy(policy), admissions);
