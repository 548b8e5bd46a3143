import type { Written } from "../written.ts";

/** Decisions ahead of the store. */
export const OPTIMISTIC: readonly Written[] = [
  {
    name: "open units do not count against those that may be open",
    file: "src/features/optimistic/partitions.ts",
    find: "if (open + costs[i]! > unsettled) return false;",
    replace: "if (costs[i]! > unsettled) return false;",
    tests: ["test/optimistic/bound"],
  },
  {
    name: "an answer from before a denial promises room",
    file: "src/features/optimistic/partitions.ts",
    find: "if (!isLow && sentAt < entry.since) return;",
    replace: "",
    tests: ["test/optimistic/partitions"],
  },
  {
    name: "a lost settlement leaves no doubt",
    file: "src/features/optimistic/settle.ts",
    find: "if (verdict.error) doubt(groups);",
    replace: "if (verdict.error) return;",
    tests: ["test/optimistic"],
  },
  {
    name: "several calls settle a partition at once",
    file: "src/features/optimistic/settle.ts",
    find: "if (!busy || leftMs <= 0) return charge(admitted);",
    replace: "if (!busy || leftMs >= 0) return charge(admitted);",
    tests: ["test/optimistic/step"],
  },
  {
    name: "a settlement is built before its decision returns",
    file: "src/features/optimistic/settle.ts",
    find: "      await nextTurn();\n",
    replace: "",
    tests: ["test/optimistic/step"],
  },
  {
    name: "a settlement that leaves room is published",
    file: "src/features/shared-denials/step.ts",
    find: "      if (rows.every(({ retryAfterUs }) => retryAfterUs === 0)) continue;\n",
    replace: "",
    tests: ["test/denials/shared-settlements"],
  },
  {
    name: "a store that gives no answer is trusted",
    file: "src/features/optimistic/step.ts",
    find: "if (!isTrusted || nowMs - failedAtMs < DISTRUST_MS) return ask(asked);",
    replace: "",
    tests: ["test/optimistic/step"],
  },
  {
    name: "a hold is admitted ahead of the store",
    file: "src/features/optimistic/step.ts",
    find: 'if (operation !== "consume" || slot || mustReachStore) return ask(asked);',
    replace: 'if (operation !== "consume" || mustReachStore) return ask(asked);',
    tests: ["test/optimistic/step"],
  },
  {
    name: "units are counted under the plan of the request that sends them",
    file: "src/features/optimistic/settle.ts",
    find: "due.map(({ entry }) => take(entry));",
    replace:
      "due.map(({ asked: own, entry }) => take(entry).map(({ costs }) => ({ ...own, costs })));",
    tests: ["test/optimistic/bound"],
  },
  {
    name: "a settlement ends with the response",
    file: "src/runtime/keep-alive.ts",
    find: "  waitUntil(promise);\n",
    replace: "  void waitUntil;\n",
    tests: ["test/optimistic/real-redis"],
  },
  {
    name: "a lost settlement leaves a doubt about its first dimension alone",
    file: "src/features/optimistic/settle.ts",
    find: "for (const each of groups) of(each).doubt",
    replace: "for (const each of groups.slice(0, 1)) of(each).doubt",
    tests: ["test/optimistic/step"],
  },
  {
    name: "a denial by a lease leaves units open in the second dimension of the rest",
    file: "src/features/optimistic/step.ts",
    find: "else own.forEach(close);",
    replace: "else own.slice(0, 1).forEach(close);",
    tests: ["test/optimistic/step"],
  },
];
