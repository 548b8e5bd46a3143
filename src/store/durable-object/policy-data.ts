import { IMPLEMENTATIONS } from "../../algorithms/all.ts";
import { CONCURRENCY } from "../../algorithms/concurrency.ts";
import type { CountedPolicy } from "../../policy/compile.ts";

/** A policy as an object gets it: a call carries no functions. */
export type PolicyData = Omit<CountedPolicy, "implementation">;

const ALGORITHMS = { ...IMPLEMENTATIONS, concurrency: CONCURRENCY };

export function toData({ key, algorithm, limit, parameters, role }: CountedPolicy): PolicyData {
  return { key, algorithm, limit, parameters, role };
}

export function withAlgorithm(data: PolicyData): CountedPolicy {
  return { ...data, implementation: ALGORITHMS[data.algorithm] };
}
