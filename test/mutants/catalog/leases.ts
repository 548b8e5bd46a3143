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
    name: "a lease outlives its time by the drift of clocks",
    file: "src/features/leases/leases.ts",
    find: "/ 1000) * (1 - DRIFT)",
    replace: "/ 1000)",
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
    name: "units are spent after they have expired",
    file: "src/features/leases/holding.ts",
    find: "units > 0 && untilMs > nowMs",
    replace: "units > 0",
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
    name: "a reset leaves what is held",
    file: "src/features/leases/step.ts",
    find: "leasesOf(each)?.forget(partition);",
    replace: "void each;",
    tests: ["test/lease/leases"],
  },
  {
    name: "a unit stays spent though another dimension denies",
    file: "src/features/leases/take.ts",
    find: "        else putBack();\n",
    replace: "",
    tests: ["test/lease/beside-exact"],
  },
  {
    name: "a unit comes back twice",
    file: "src/features/leases/holding.ts",
    find: "grant.units += units;",
    replace: "grant.units += 2 * units;",
    tests: ["test/lease/beside-exact"],
  },
  {
    name: "a unit stays spent though the fallback denies",
    file: "src/features/leases/take.ts",
    find: "      async giveBack() {\n        putBack();",
    replace: "      async giveBack() {",
    tests: ["test/lease/beside-exact"],
  },
  {
    name: "a shadow policy without room is a reason to wait",
    file: "src/features/leases/leases.ts",
    find: 'filter(([, { role }]) => role !== "advisory")',
    replace: "filter(() => true)",
    tests: ["test/lease/beside-exact"],
  },
  {
    name: "lease calls: a request that another dimension denies is demand",
    file: "src/features/leases/step.ts",
    find: "    countDemand: (next) => (asked) =>\n      after(next(asked), (verdict) => {\n        countDenied(verdict);",
    replace:
      "    countDemand: (next) => (asked) =>\n      after(next(asked), (verdict) => {\n        countDenied({ ...verdict, groups: asked.groups.map((each) => ({ ...verdict.groups[0]!, asked: each })) });",
    tests: ["test/lease/known-denials"],
  },
  {
    name: "lease flood: units that expire unspent are leased again at once",
    file: "src/features/leases/holding.ts",
    find: "return lost > 0;",
    replace: "return lost > 1e9;",
    tests: ["test/lease/flood", "test/lease/holding"],
  },
  {
    name: "units lost in a second are missed until the minute beside it ends",
    file: "src/features/leases/leases.ts",
    find: "sentAtMs + Math.min(...ends) / 1000;",
    replace: "sentAtMs + Math.max(...ends) / 1000;",
    tests: ["test/lease/leases"],
  },
];
