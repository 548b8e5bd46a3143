import type { Written } from "../written.ts";

/** Which methods a request names. */
export const METHODS: readonly Written[] = [
  {
    name: "a method is named by one field alone",
    file: "src/gateway/match/methods.ts",
    find: "(?:[-_]override)?$/",
    replace: "[-_]override$/",
    tests: ["test/gateway/match/method-overrides"],
  },
  {
    name: "a field that ends as an override's does is one",
    file: "src/gateway/match/methods.ts",
    find: "const OVERRIDE = /^x",
    replace: "const OVERRIDE = /x",
    tests: ["test/gateway/match/method-overrides"],
  },
  {
    name: "a field's underscores are dashes",
    file: "src/gateway/match/methods.ts",
    find: "(?:http[-_])?",
    replace: "(?:http-)?",
    tests: ["test/gateway/match/method-overrides"],
  },
  {
    name: "a list of methods is one method",
    file: "src/gateway/match/methods.ts",
    find: '...value.split(",")',
    replace: "value",
    tests: ["test/gateway/match/method-overrides"],
  },
  {
    name: "a method's blanks are part of it",
    file: "src/gateway/match/methods.ts",
    find: "named.trim().toUpperCase()",
    replace: "named.toUpperCase()",
    tests: ["test/gateway/match/method-overrides"],
  },
  {
    name: "an overriding method in small letters is another one",
    file: "src/gateway/match/methods.ts",
    find: "named.trim().toUpperCase()",
    replace: "named.trim()",
    tests: ["test/gateway/match/method-overrides"],
  },
  {
    name: "a semicolon is part of a query's value",
    file: "src/gateway/match/methods.ts",
    find: 'search.replaceAll(";", "&")',
    replace: "search",
    tests: ["test/gateway/match/method-overrides"],
  },
  {
    name: "a parameter in capitals is another one",
    file: "src/gateway/match/methods.ts",
    find: "method(?:\\[|$)/i",
    replace: "method(?:\\[|$)/",
    tests: ["test/gateway/match/method-overrides"],
  },
  {
    name: "a parameter of a list is none",
    file: "src/gateway/match/methods.ts",
    find: "method(?:\\[|$)/i",
    replace: "method$/i",
    tests: ["test/gateway/match/method-overrides"],
  },
  {
    name: "PHP takes a bracket for no underscore",
    file: "src/gateway/match/methods.ts",
    find: "[_.[\\s]method",
    replace: "[_.\\s]method",
    tests: ["test/gateway/match/method-overrides"],
  },
  {
    name: "the last of a query's methods counts",
    file: "src/gateway/match/methods.ts",
    find: "if (PARAMETER.test(name)) methods.push(value);",
    replace: "if (PARAMETER.test(name)) methods[1] = value;",
    tests: ["test/gateway/match/method-overrides"],
  },
];
