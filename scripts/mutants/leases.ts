import type { Mutant } from "./mutant.ts";

/** Units that were taken ahead. */
export const LEASES: readonly Mutant[] = [
  {
    name: "a lease is counted from its arrival",
    file: "src/lease/leasing-store.ts",
    find: "const until = sentAt +",
    replace: "const until = now() +",
    tests: ["test/lease/envelope"],
  },
  {
    name: "units are spent after they have expired",
    file: "src/lease/holding.ts",
    find: "units > 0 && until > now",
    replace: "units > 0",
    tests: ["test/lease/envelope"],
  },
  {
    name: "a lease outlasts its fixed window",
    file: "src/lease/leasing-store.ts",
    find: "Math.min(lease, ...ends)",
    replace: "lease",
    tests: ["test/lease/envelope"],
  },
  {
    name: "who asks for a lease also leaves its own unit to others",
    file: "src/lease/leasing-store.ts",
    find: "units: taken - 1",
    replace: "units: taken",
    tests: ["test/lease/envelope"],
  },
  {
    name: "a limiter with leases keeps its policies as they are",
    file: "src/limiter/settings.ts",
    find: "policies.map((policy) => tightenPolicy(policy, lease))",
    replace: "policies",
    tests: ["test/lease/limiter"],
  },
  {
    name: "a reset leaves what is held",
    file: "src/lease/leasing-store.ts",
    find: "holdings.delete(keys[0]!);",
    replace: "",
    tests: ["test/lease/leasing-store"],
  },
];
