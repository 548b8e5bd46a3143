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
    name: "a lease takes what a policy has room for, whatever isolates hold already",
    file: "src/store/lease-accounts.ts",
    find: "Math.max(0, most - unspent - before)",
    replace: "Math.max(0, most)",
    tests: ["test/lease/unspent"],
  },
  {
    name: "spent units are not reported, so that leases end",
    file: "src/features/leases/lease-access.ts",
    find: "admit: () => noteSpent(holding, spent),",
    replace: "admit() {},",
    tests: ["test/lease/lease-access"],
  },
  {
    name: "a ban counts a request that leased units admit after all",
    file: "src/features/leases/take-leased.ts",
    find: "!isCounted &&",
    replace: "",
    tests: ["test/limiter/ban-ledger"],
  },
  {
    name: "a reset leaves the account of leases",
    file: "src/decide/ask-store.ts",
    find: "[...keys, ...leased.map(accountKeyOf)]",
    replace: "keys",
    tests: ["test/lease/limiter"],
  },
  {
    name: "a reset leaves what is leased",
    file: "src/features/leases/lease-steps.ts",
    find: "leasesOf(each)?.forget(partition);",
    replace: "void each;",
    tests: ["test/lease/leases"],
  },
];
