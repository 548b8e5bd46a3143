import type { Written } from "../written.ts";

/** Decisions ahead of the store. */
export const OPTIMISTIC: readonly Written[] = [
  {
    name: "an answer from before a denial promises room",
    file: "src/features/optimistic-partitions.ts",
    find: "if (!isLow && sentAt < entry.since) return;",
    replace: "",
    tests: ["test/optimistic/partitions"],
  },
  {
    name: "a settlement that leaves room is published",
    file: "src/features/shared-denials-step.ts",
    find: "      if (rows.every(({ retryAfterUs }) => retryAfterUs === 0)) continue;\n",
    replace: "",
    tests: ["test/denials/shared-settlements"],
  },
  {
    name: "a store that gives no answer is trusted",
    file: "src/features/optimistic-step.ts",
    find: "if (!isTrusted || nowMs - failedAtMs < DISTRUST_MS) return ask(asked);",
    replace: "",
    tests: ["test/optimistic/step"],
  },
  {
    name: "units are counted under the plan of the request that sends them",
    file: "src/features/settle-optimistic.ts",
    find: "due.map(({ entry }) => take(entry));",
    replace:
      "due.map(({ asked: own, entry }) => take(entry).map(({ costs }) => ({ ...own, costs })));",
    tests: ["test/optimistic/bound"],
  },
  {
    name: "a lost settlement leaves a doubt about its first dimension alone",
    file: "src/features/settle-optimistic.ts",
    find: "for (const each of groups) of(each).doubt",
    replace: "for (const each of groups.slice(0, 1)) of(each).doubt",
    tests: ["test/optimistic/step"],
  },
  {
    name: "a denial by a lease leaves units open in the second dimension of the rest",
    file: "src/features/optimistic-step.ts",
    find: "else own.forEach(close);",
    replace: "else own.slice(0, 1).forEach(close);",
    tests: ["test/optimistic/step"],
  },
];
