import type { Mutant } from "../mutant.ts";

/** What is said about the variables and rules of a gateway. */
export const VARIABLES: readonly Mutant[] = [
  {
    name: "a misspelt variable is shown",
    file: "src/gateway/variables.ts",
    find: 'faults.add(key, "(hidden)",',
    replace: "faults.add(key, environment[key],",
    tests: ["test/gateway/config"],
  },
  {
    name: "a variable of several is a misspelt one",
    file: "src/gateway/variables.ts",
    find: "if (a === `${b}S`) return false;",
    replace: "",
    tests: ["test/gateway/config"],
  },
  {
    name: "a variable is misspelt also where the right one stands",
    file: "src/gateway/variables.ts",
    find: "missing.find((name)",
    replace: "NAMES.find((name)",
    tests: ["test/gateway/config"],
  },
  {
    name: "letters in another order are any letters",
    file: "src/gateway/variables.ts",
    find: "[...a!].sort().join() === [...b!].sort().join() && isNear(a!, b!, 2)",
    replace: "isNear(a!, b!, 2)",
    tests: ["test/gateway/config"],
  },
  {
    name: "another separator makes another variable",
    file: "src/gateway/variables.ts",
    find: '.replace(/[^A-Z0-9]/g, "")',
    replace: "",
    tests: ["test/gateway/config"],
  },
  {
    name: "a variable in small letters is another one",
    file: "src/gateway/variables.ts",
    find: "text.toUpperCase().replace",
    replace: "text.replace",
    tests: ["test/gateway/config"],
  },
  {
    name: "a remedy in TOML is one of TypeScript",
    file: "src/gateway/config.ts",
    find: 'reworded(faults, () => checkClientIp(value, "CLIENT_IP", faults), inToml)',
    replace: 'checkClientIp(value, "CLIENT_IP", faults)',
    tests: ["test/gateway/config"],
  },
  {
    name: "a rule that says nobody needs no address",
    file: "src/gateway/config.ts",
    find: 'const { partition = ["ip"] }',
    replace: "const { partition = [] }",
    tests: ["test/gateway/config"],
  },
  {
    name: "a name is looked for in one rule alone",
    file: "src/gateway/config.ts",
    find: "const owners = new Map<string, number>();\n  rules.forEach((rule, i) => {",
    replace: "rules.forEach((rule, i) => {\n    const owners = new Map<string, number>();",
    tests: ["test/gateway/config"],
  },
  {
    name: "an unknown key of a rule has no hint",
    file: "src/gateway/check.ts",
    find: "hintOf(schema, key[0]) + issue.message",
    replace: "issue.message",
    tests: ["test/gateway/config"],
  },
  {
    name: "faults of a rule are told twice",
    file: "src/gateway/check.ts",
    find: "faults.list.splice(before)",
    replace: "faults.list.slice(before)",
    tests: ["test/gateway/config"],
  },
];
