import type { Written } from "../written.ts";

/** Options, and the texts of faults. */
export const OPTIONS: readonly Written[] = [
  {
    name: "two versions of a layout share a key",
    file: "src/policy/compile.ts",
    find: '${layout > 1 ? layout : ""}',
    replace: "",
    tests: ["test/store/layouts"],
  },
  {
    name: "every shard of a bucket refills at the whole rate",
    file: "src/policy/shards.ts",
    find: "{ part: 1, whole: shards }",
    replace: "{ part: 1, whole: 1 }",
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
    name: "an unknown option is passed over",
    file: "src/options/unknown-options.ts",
    find: "!known.includes(key) && value !== undefined",
    replace: '!known.includes(key) && value !== undefined && key === ""',
    tests: ["test/policy/configuration"],
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
    file: "src/limiter/unnamed-twins.ts",
    find: "JSON.stringify([address, prefix, name])",
    replace: "JSON.stringify([prefix, name])",
    tests: ["test/limiter/unnamed-twins"],
  },
  {
    name: "options of a feature that is missing are ignored",
    file: "src/limiter/limiter-with.ts",
    find: "    checkFeatures(own, features, faults);\n",
    replace: "",
    tests: ["test/limiter/core"],
  },
  {
    name: "options of a policy need no feature",
    file: "src/limiter/features.ts",
    find: "if (value !== undefined && value !== plain) need(",
    replace: "if (value === null) need(",
    tests: ["test/limiter/core"],
  },
];
