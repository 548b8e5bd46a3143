import type { Mutant } from "../mutant.ts";

const STEP = "src/features/optimistic/step.ts";
const PARTITIONS = "src/features/optimistic/partitions.ts";
const SETTLE = "src/features/optimistic/settle.ts";
const CHECK = "src/features/optimistic/check.ts";

/** What an isolate admits ahead of the store: never more than it may owe, and all of it is counted. */
export const OPTIMISTIC: readonly Mutant[] = [
  {
    name: "open units do not count against those that may be open",
    file: PARTITIONS,
    find: "if (open + costs[i]! > unsettled) return false;",
    replace: "if (costs[i]! > unsettled) return false;",
    tests: ["test/optimistic/bound"],
  },
  {
    name: "one unit more may be open",
    file: PARTITIONS,
    find: "if (open + costs[i]! > unsettled) return false;",
    replace: "if (open + costs[i]! > unsettled + 1) return false;",
    tests: ["test/optimistic/bound"],
  },
  {
    name: "open units are still there near the limit",
    file: PARTITIONS,
    find: "remaining ?? limit) - open <= above * limit",
    replace: "remaining ?? limit) <= above * limit",
    tests: ["test/optimistic"],
  },
  {
    name: "an answer from before a denial promises room",
    file: PARTITIONS,
    find: "if (!isLow && sentAt < entry.since) return;",
    replace: "",
    tests: ["test/optimistic/partitions"],
  },
  {
    name: "a denial that was forgotten leaves no caution",
    file: PARTITIONS,
    find: "if (!entry && nowMs < cautiousUntilMs) return false;",
    replace: "",
    tests: ["test/optimistic/partitions"],
  },
  {
    name: "a partition with open units is forgotten",
    file: PARTITIONS,
    find: "if (oldest.open.some((units) => units > 0)) entries.set(name, oldest);\n    else if",
    replace: "if",
    tests: ["test/optimistic/partitions"],
  },
  {
    name: "a lost settlement leaves no doubt",
    file: SETTLE,
    find: "if (verdict.error) doubt(groups);",
    replace: "if (verdict.error) return;",
    tests: ["test/optimistic"],
  },
  {
    name: "units stay open after their answer",
    file: SETTLE,
    find: "      due.forEach(({ entry }, i) => {\n        close({ asked: groups[i]!, entry });",
    replace: "      due.forEach(({ entry }) => {",
    tests: ["test/optimistic/step"],
  },
  {
    name: "what waits is charged by every request that waits",
    file: SETTLE,
    find: "  entry.waiting.fill(0);\n",
    replace: "",
    tests: ["test/optimistic"],
  },
  {
    name: "several calls settle a partition at once",
    file: SETTLE,
    find: "if (!busy || leftMs <= 0) return charge(admitted);",
    replace: "if (!busy || leftMs >= 0) return charge(admitted);",
    tests: ["test/optimistic/step"],
  },
  {
    name: "a settlement teaches no denial",
    file: SETTLE,
    find: "else await known.learn(asked, verdict);",
    replace: "",
    tests: ["test/optimistic/step"],
  },
  {
    name: "each plan has open units of its own",
    file: STEP,
    find: "if (other) return partitionsOf(other);",
    replace: "",
    tests: ["test/optimistic"],
  },
  {
    name: "the numbers of one plan stand for another",
    file: PARTITIONS,
    find: "if (entry?.known && entry.known.group !== group) return false;",
    replace: "",
    tests: ["test/optimistic/step"],
  },
  {
    name: "a store that gives no answer is trusted",
    file: STEP,
    find: "if (!isTrusted || nowMs - failedAtMs < DISTRUST_MS) return ask(asked);",
    replace: "",
    tests: ["test/optimistic/step"],
  },
  {
    name: "a hold is admitted ahead of the store",
    file: STEP,
    find: 'if (operation !== "consume" || slot || mustReachStore) return ask(asked);',
    replace: 'if (operation !== "consume" || mustReachStore) return ask(asked);',
    tests: ["test/optimistic/step"],
  },
  {
    name: "a request that another dimension denies keeps its units open",
    file: STEP,
    find: "else own.forEach(close);",
    replace: "",
    tests: ["test/optimistic/step"],
  },
  {
    name: "a reset leaves what is known",
    file: STEP,
    find: "for (const each of groups) partitionsOf(each.group)?.forget(each.partition);",
    replace: "",
    tests: ["test/optimistic/step"],
  },
  {
    name: "a settlement ends with the response",
    file: "src/features/optimistic/keep-alive.ts",
    find: "  waitUntil(promise);\n",
    replace: "  void waitUntil;\n",
    tests: ["test/optimistic/real-redis"],
  },
  {
    name: "a settlement on Vercel ends with the response",
    file: "src/features/optimistic/keep-alive.ts",
    find: "  vercel?.get?.()?.waitUntil?.(promise);\n",
    replace: "  void vercel;\n",
    tests: ["test/optimistic/step"],
  },
  {
    name: "a policy with a lease may be optimistic",
    file: CHECK,
    find: "else if ((lease ?? leaseOfAll) !== undefined) faults.add(path, true, OPTIMISM_WITH_LEASE);",
    replace: "",
    tests: ["test/optimistic/refusals"],
  },
];
