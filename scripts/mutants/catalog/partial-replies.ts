import type { Written } from "../written.ts";

const LIMITER = ["test/limiter/several-masters"];

/** What a limiter decides and knows where only some masters answered, or a give-back may come. */
export const PARTIAL_REPLIES: readonly Written[] = [
  {
    name: "partial replies: the verdict of a dead master decides for all",
    file: "src/decide/outage.ts",
    find: "groups.flatMap((each) => verdicts.get(each) ?? [])",
    replace: 'groups.flatMap((each) => verdicts.get(each) ?? []).filter(({ by }) => by === "here")',
    tests: LIMITER,
  },
  {
    name: "partial replies: live masters keep what a denied request took",
    file: "src/decide/outage.ts",
    find: "if (status !== 200 && giveBack) {",
    replace: "if (status === 201 as number && giveBack) {",
    tests: LIMITER,
  },
  {
    name: "partial replies: live masters give back what an admitted request took",
    file: "src/decide/outage.ts",
    find: "if (status !== 200 && giveBack) {",
    replace: "if (giveBack) {",
    tests: LIMITER,
  },
  {
    name: "partial replies: what is denied by Redis counts locally",
    file: "src/decide/outage.ts",
    find: "isClosed || answered.some(deniesIn)",
    replace: "isClosed",
    tests: LIMITER,
  },
  {
    name: "knowledge: a denial is known that a give-back could lift",
    file: "src/decide/known.ts",
    find: "(isOnePartition || (store.spansPartitions?.(prefix) ?? true))",
    replace: "true",
    tests: LIMITER,
  },
  {
    name: "knowledge: nothing is known of policies with one dimension",
    file: "src/decide/known.ts",
    find: "isOnePartition || (store",
    replace: "(store",
    tests: LIMITER,
  },
  {
    name: "knowledge: nothing is known of several partitions on one Redis",
    file: "src/decide/known.ts",
    find: "if (isReliable) learnGroup",
    replace: "if (isReliable && isOnePartition) learnGroup",
    tests: LIMITER,
  },
];
