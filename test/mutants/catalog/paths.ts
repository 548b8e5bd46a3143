import type { Written } from "../written.ts";

/** The rules that a path matches, in each reading of it. */
export const PATHS: readonly Written[] = [
  {
    name: "a second slash goes past a rule",
    file: "src/gateway/rules/path.ts",
    find: 'segment !== ""',
    replace: "true",
    tests: ["test/gateway/rules/paths"],
  },
  {
    name: "HEAD goes past a rule for GET",
    file: "src/gateway/rules/methods.ts",
    find: 'asked === "HEAD" ? "GET" : asked',
    replace: "asked",
    tests: ["test/gateway/rules/rules"],
  },
  {
    name: "a path is decoded once",
    file: "src/gateway/rules/path.ts",
    find: "const ROUNDS = 2;",
    replace: "const ROUNDS = 1;",
    tests: ["test/gateway/rules/paths"],
  },
  {
    name: "no origin decodes each segment twice",
    file: "src/gateway/rules/path.ts",
    find: "yield decodeSegments(text);",
    replace: "",
    tests: ["test/gateway/rules/paths"],
  },
  {
    name: "a path that some origin ends early is under no rule of its own",
    file: "src/gateway/rules/select-rules.ts",
    find: "for (const reading of readings.wider) if (!steps.areTooMany) steps.take(find(reading, found));",
    replace: "",
    tests: ["test/gateway/rules/paths"],
  },
  {
    name: "the last of a query's methods counts",
    file: "src/gateway/rules/methods.ts",
    find: "for (const value of named) methods.add(canonicalMethod(foldValue(value)));",
    replace: 'methods.add(canonicalMethod(foldValue([...named].at(-1) ?? "")));',
    tests: ["test/gateway/rules/method-overrides"],
  },
];
