import type { Written } from "../written.ts";

/** What is said about options and variables that do not exist. */
export const OPTIONS: readonly Written[] = [
  {
    name: "an unknown option is passed over",
    file: "src/options/unknown-options.ts",
    find: "!known.includes(key) && value !== undefined",
    replace: '!known.includes(key) && value !== undefined && key === ""',
    tests: ["test/policy/configuration"],
  },
  {
    name: "an unknown option that is undefined is a fault",
    file: "src/options/unknown-options.ts",
    find: "!known.includes(key) && value !== undefined",
    replace: "!known.includes(key)",
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
    name: "a misspelt url is shown",
    file: "src/options/unknown-options.ts",
    find: '"url", "token", "identity"]',
    replace: '"token", "identity"]',
    tests: ["test/policy/secrets", "test/policy/configuration"],
  },
  {
    name: "what stands under a name that means nothing is shown",
    file: "src/options/unknown-options.ts",
    find: "&& meant && !SECRETS.includes(meant)",
    replace: "&& !SECRETS.includes(meant!)",
    tests: ["test/policy/secrets", "test/policy/configuration"],
  },
  {
    name: "an unknown option's number is hidden",
    file: "src/options/unknown-options.ts",
    find: 'typeof value === "number" ||',
    replace: "",
    tests: ["test/policy/configuration"],
  },
  {
    name: "a blank option has no name",
    file: "src/options/unknown-options.ts",
    find: "path + (key.trim() ? key : JSON.stringify(key))",
    replace: "path + key",
    tests: ["test/policy/configuration"],
  },
  {
    name: "a misspelling in capitals is nobody's",
    file: "src/options/unknown-options.ts",
    find: "const small = word.toLowerCase();",
    replace: "const small = word;",
    tests: ["test/policy/configuration"],
  },
  {
    name: "a short name is two letters from another",
    file: "src/options/unknown-options.ts",
    find: "known.length > 4 ? 2 : 1",
    replace: "2",
    tests: ["test/policy/configuration"],
  },
  {
    name: "a long name is one letter from another",
    file: "src/options/unknown-options.ts",
    find: "known.length > 4 ? 2 : 1",
    replace: "1",
    tests: ["test/policy/configuration"],
  },
  {
    name: "a replaced letter is another word",
    file: "src/options/unknown-options.ts",
    find: "isNear(restOf(a, 1), restOf(b, 1), most) ||",
    replace: "",
    tests: ["test/policy/configuration"],
  },
  {
    name: "a letter too many is another word",
    file: "src/options/unknown-options.ts",
    find: "isNear(restOf(a, 1), restOf(b, 0), most) ||",
    replace: "",
    tests: ["test/policy/configuration"],
  },
];
