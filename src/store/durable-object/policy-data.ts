import { IMPLEMENTATIONS } from "../../algorithms/all.ts";
import { CONCURRENCY } from "../../algorithms/concurrency.ts";
import type { CountedPolicy } from "../../policy/compile.ts";

/** A policy as data for an object: a call cannot carry functions. */
export type PolicyData = Omit<CountedPolicy, "implementation">;

const ALGORITHMS = { ...IMPLEMENTATIONS, concurrency: CONCURRENCY };

export function toData({ key, algorithm, limit, parameters, role }: CountedPolicy): PolicyData {
  return { key, algorithm, limit, parameters, role };
}

export function withAlgorithm(data: PolicyData): CountedPolicy {
  return { ...data, implementation: ALGORITHMS[data.algorithm] };
}
