import type { Written } from "../written.ts";

/** Which leases are taken as options, and how much smaller they make the policies. */
export const LEASE_TERMS: readonly Written[] = [
  {
    name: "a lease of 5 ms is taken",
    file: "src/features/leases/read-lease.ts",
    find: 'min: "10ms"',
    replace: 'min: "5ms"',
    tests: ["test/policy/configuration"],
  },
  {
    name: "a lease of a minute is taken",
    file: "src/features/leases/read-lease.ts",
    find: 'max: "10s"',
    replace: 'max: "1m"',
    tests: ["test/policy/configuration"],
  },
  {
    name: "a lease leaves the window of a counter as it is",
    file: "src/algorithms/sliding-window-counter.ts",
    find: "quotaOf(limit, windowUs + leaseUs)",
    replace: "quotaOf(limit, windowUs)",
    tests: ["test/lease/tighten"],
  },
  {
    name: "a lease takes a fifth of a window",
    file: "src/algorithms/window.ts",
    find: "MAX_LEASE_SHARE = 0.1",
    replace: "MAX_LEASE_SHARE = 0.2",
    tests: ["test/policy/configuration"],
  },
  {
    name: "a limiter with leases keeps its policies as they are",
    file: "src/features/leases/check.ts",
    find: "{ ...tightenPolicy(policy, terms.leaseUs), ...terms }",
    replace: "{ ...policy, ...terms }",
    tests: ["test/lease/limiter"],
  },
  {
    name: "a bucket with leases is as large as without",
    file: "src/algorithms/token-bucket.ts",
    find: "limit - Math.ceil((leaseUs * divisor) / intervalUs)",
    replace: "limit",
    tests: ["test/lease/tighten"],
  },
  {
    name: "a bucket with leases is a unit too large",
    file: "src/algorithms/token-bucket.ts",
    find: "Math.ceil((leaseUs * divisor) / intervalUs)",
    replace: "Math.floor((leaseUs * divisor) / intervalUs)",
    tests: ["test/lease/tighten"],
  },
  {
    name: "a policy's own lease gives way to the limiter's",
    file: "src/features/leases/check.ts",
    find: "if (each === undefined) return ofAll;",
    replace: "if (ofAll || each === undefined) return ofAll;",
    tests: ["test/policy/configuration"],
  },
  {
    name: "two lengths of leases in one dimension",
    file: "src/features/leases/check.ts",
    find: "isDifferent(terms[first], terms[i])",
    replace: "false",
    tests: ["test/policy/configuration"],
  },
];
