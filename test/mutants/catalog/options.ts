import type { Written } from "../written.ts";

/** Options, and the texts of faults. */
export const OPTIONS: readonly Written[] = [
  {
    name: "every shard of a bucket refills at the whole rate",
    file: "src/policy/shards.ts",
    find: "policy, units, shards",
    replace: "policy, units, 1",
    tests: ["test/policy/shards"],
  },
  {
    name: "the user and password of an address are shown",
    file: "src/options/faults.ts",
    find: 'text.lastIndexOf("@")',
    replace: 'text.indexOf("@")',
    tests: ["test/policy/secrets"],
  },
  {
    name: "seventeen policies are decided together",
    file: "src/policy/compile.ts",
    find: "MAX_POLICIES = 16",
    replace: "MAX_POLICIES = 17",
    tests: ["test/policy/bounds"],
  },
  {
    name: "an inherited name of objects is an algorithm",
    file: "src/policy/from-data.ts",
    find: "Object.hasOwn(IMPLEMENTATIONS, algorithm)",
    replace: "algorithm in IMPLEMENTATIONS",
    tests: ["test/policy/from-data"],
  },
  {
    name: "a misspelt token is shown",
    file: "src/options/unknown-options.ts",
    find: '"url", "token", "identity"]',
    replace: '"url", "identity"]',
    tests: ["test/policy/secrets", "test/policy/configuration"],
  },
  {
    name: "twins in another Redis are twins",
    file: "src/limiter/unnamed-duplicates.ts",
    find: "JSON.stringify([address, prefix, name])",
    replace: "JSON.stringify([prefix, name])",
    tests: ["test/limiter/unnamed-duplicates"],
  },
];
