import type { Written } from "../written.ts";

/** One decision over several masters. */
export const CLUSTER: readonly Written[] = [
  {
    name: "an outage is over with the first answer elsewhere",
    file: "src/store/cluster/slot-breaker.ts",
    find: "if (failures.size > 0 && Math.abs(nowMs - failedAtMs) < SETTLED_MS) return false;",
    replace: "",
    tests: ["test/store/slot-breaker"],
  },
  {
    name: "an outage begins with every failure",
    file: "src/store/cluster/slot-breaker.ts",
    find: "const begins = !isOutage;",
    replace: "const begins = true;",
    tests: ["test/store/slot-breaker"],
  },
  {
    name: "a busy key of a dead part suspends the store",
    file: "src/store/cluster/slot-breaker.ts",
    find: "before === 0 && sentAtMs",
    replace: "sentAtMs",
    tests: ["test/store/slot-breaker"],
  },
  {
    name: "a refund that fails in one slot does not wait for the others",
    file: "src/store/cluster/holds-in-parts.ts",
    find: "await Promise.all([...new Set(slots)].map(giveBack));",
    replace: "await Promise.race([...new Set(slots)].map(giveBack));",
    tests: ["test/store/split-refund"],
  },
  {
    name: "parts: one dead master fails the whole decision",
    file: "src/store/cluster/decide-in-parts.ts",
    find: "for (const index of parts[i]!.indices) failures[index] = answer;",
    replace: "throw answer;",
    tests: ["test/store/split-store"],
  },
  {
    name: "taking back: a give-back that is lost fails the decision",
    file: "src/store/cluster/take-back.ts",
    find: "await Promise.allSettled(",
    replace: "await Promise.all(",
    tests: ["test/store/split-store"],
  },
];
