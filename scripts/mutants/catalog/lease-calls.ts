import type { Written } from "../written.ts";

/** How many calls leases need when more is sent than a limit admits. */
export const LEASE_CALLS: readonly Written[] = [
  {
    name: "lease calls: what a known denial answers is no demand",
    file: "src/features/leases/step.ts",
    find: "        countDenied(verdict);\n",
    replace: "",
    tests: ["test/lease/known-denials"],
  },
  {
    name: "lease calls: what another dimension denies is demand",
    file: "src/features/leases/step.ts",
    find: "    note: (next) => (asked) =>\n      after(next(asked), (verdict) => {\n        countDenied(verdict);",
    replace:
      "    note: (next) => (asked) =>\n      after(next(asked), (verdict) => {\n        countDenied({ ...verdict, groups: asked.groups.map((each) => ({ ...verdict.groups[0]!, asked: each })) });",
    tests: ["test/lease/known-denials"],
  },
  {
    name: "lease calls: where the store has no more, the next lease is requested as early as ever",
    file: "src/features/leases/leases.ts",
    find: "(holding.short ? 0 : Math.sqrt(meanwhile))",
    replace: "Math.sqrt(meanwhile)",
    tests: ["test/lease/hot-key"],
  },
  {
    name: "lease calls: a lease of a small limit lasts for less than two round trips",
    file: "src/features/leases/leases.ts",
    find: "Math.max(largest, Math.ceil(2 * reserve))",
    replace: "largest",
    tests: ["test/lease/hot-key"],
  },
  {
    name: "lease calls: after a loss each request is decided by itself",
    file: "src/features/leases/leases.ts",
    find: "Math.max(1, Math.floor(meanwhile))",
    replace: "1",
    tests: ["test/lease/hot-key"],
  },
  {
    name: "lease calls: a loss can't be earned in advance",
    file: "src/features/leases/holding.ts",
    find: "Math.max(-MAX_CREDIT,",
    replace: "Math.max(0,",
    tests: ["test/lease/holding"],
  },
];
