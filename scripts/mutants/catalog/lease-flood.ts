import type { Written } from "../written.ts";

/** How much of a limit leases may lose when more is sent than it admits. */
export const LEASE_FLOOD: readonly Written[] = [
  {
    name: "lease flood: what expires unspent is leased again at once",
    file: "src/features/leases/holding.ts",
    find: "return lost > 0;",
    replace: "return lost > 1e9;",
    tests: ["test/lease/flood", "test/lease/holding"],
  },
  {
    name: "lease flood: a loss is never earned back",
    file: "src/features/leases/holding.ts",
    find: "holding.lost - units / ADMITTED_PER_LOST",
    replace: "holding.lost",
    tests: ["test/lease/holding"],
  },
  {
    name: "lease flood: a loss where there is enough counts",
    file: "src/features/leases/holding.ts",
    find: "nowMs >= holding.reachedUntilMs ||",
    replace: "",
    tests: ["test/lease/holding"],
  },
  {
    name: "lease flood: a window that was full is forgotten with its end",
    file: "src/features/leases/holding.ts",
    find: "(isOver && !holding.isFull)",
    replace: "isOver",
    tests: ["test/lease/holding"],
  },
  {
    name: "lease flood: no limit counts as reached",
    file: "src/features/leases/leases.ts",
    find: "if (short) Object.assign(holding, { reachedUntilMs: now() + reachedMs, isFull: true });",
    replace: "",
    tests: ["test/lease/flood"],
  },
  {
    name: "lease flood: the next lease is requested when the last is spent on average",
    file: "src/features/leases/leases.ts",
    find: "const enough = held - cost >= reserve;",
    replace: "const enough = held >= cost;",
    tests: ["test/lease/leases", "test/lease/flood"],
  },
];
