import type { Written } from "../written.ts";

/** Units that an isolate holds. */
export const LEASES: readonly Written[] = [
  {
    name: "an isolate knows the demand of everybody",
    file: "src/features/leases/leases.ts",
    find: "setRecent(holdings, partition, holding, MAX_HOLDINGS);",
    replace: "holdings.set(partition, holding);",
    tests: ["test/lease/leases"],
  },
  {
    name: "the youngest units are spent first",
    file: "src/features/leases/holding.ts",
    find: "for (const grant of grants) {",
    replace: "for (const grant of grants.toReversed()) {",
    tests: ["test/lease/holding"],
  },
  {
    name: "a lease is counted from its arrival",
    file: "src/features/leases/leases.ts",
    find: "const untilMs = sentAtMs +",
    replace: "const untilMs = now() +",
    tests: ["test/lease/envelope"],
  },
  {
    name: "the request that asks for a lease leaves its own unit to others",
    file: "src/features/leases/lease-access.ts",
    find: "spend({ grants: [grant] }, 1)",
    replace: "spend({ grants: [{ ...grant }] }, 1)",
    tests: ["test/lease/envelope"],
  },
  {
    name: "a reset leaves what is leased",
    file: "src/features/leases/step.ts",
    find: "leasesOf(each)?.forget(partition);",
    replace: "void each;",
    tests: ["test/lease/leases"],
  },
];
