import type { Mutant } from "../mutant.ts";

const LIMITER = ["test/limiter/several-masters"];

/** What a limiter decides and knows where only some masters answered, or a give-back may come. */
export const PARTIAL_REPLIES: readonly Mutant[] = [
  {
    name: "partial replies: the verdict of a dead master decides for all",
    file: "src/limiter/decision-path.ts",
    find: "fallback.decide(operation, request, keysOf(request), partial?.rows)",
    replace: "fallback.decide(operation, request, keysOf(request))",
    tests: LIMITER,
  },
  {
    name: "partial replies: live masters keep what a denied request took",
    file: "src/limiter/decision-path.ts",
    find: "status === 200 ? undefined : await partial?.giveBack()",
    replace: "undefined",
    tests: LIMITER,
  },
  {
    name: "partial replies: live masters give back what an admitted request took",
    file: "src/limiter/decision-path.ts",
    find: "status === 200 ? undefined : await partial?.giveBack()",
    replace: "await partial?.giveBack()",
    tests: LIMITER,
  },
  {
    name: "partial replies: what is denied by Redis counts locally",
    file: "src/limiter/fallback.ts",
    find: "(closed || denied) && operation",
    replace: "closed && operation",
    tests: LIMITER,
  },
  {
    name: "knowledge: a denial is known that a give-back could lift",
    file: "src/limiter/knowledge.ts",
    find: "(isOnePartition || (store.spansPartitions?.(prefix) ?? true))",
    replace: "true",
    tests: LIMITER,
  },
  {
    name: "knowledge: nothing is known of policies with one dimension",
    file: "src/limiter/knowledge.ts",
    find: "isOnePartition || (store",
    replace: "(store",
    tests: LIMITER,
  },
  {
    name: "knowledge: nothing is known of several partitions on one Redis",
    file: "src/limiter/knowledge.ts",
    find: "isReliable && waits(",
    replace: "isOnePartition && isReliable && waits(",
    tests: LIMITER,
  },
];
