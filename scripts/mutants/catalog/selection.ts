import type { Mutant } from "../mutant.ts";

/** Which rules a request is under, by its path in any reading. */
export const SELECTION: readonly Mutant[] = [
  {
    name: "what the plain reading decides is ambiguous",
    file: "src/gateway/select-rules.ts",
    find: "const ambiguous = !covered && others",
    replace: "const ambiguous = others",
    tests: ["test/gateway/paths"],
  },
  {
    name: "a path is ambiguous under rules for other methods",
    file: "src/gateway/select-rules.ts",
    find: "if (!route.takes(methods)) continue;\n    if (ambiguous && refuse) return undefined;",
    replace: "if (ambiguous && refuse) return undefined;\n    if (!route.takes(methods)) continue;",
    tests: ["test/gateway/method-overrides"],
  },
  {
    name: "what some origin ends early is under no rule of its own",
    file: "src/gateway/select-rules.ts",
    find: " && !wider.some(route.covers)",
    replace: "",
    tests: ["test/gateway/paths"],
  },
  {
    name: "what some origin ends early is refused",
    file: "src/gateway/select-rules.ts",
    find: "others.some(route.covers)",
    replace: "[...others, ...wider].some(route.covers)",
    tests: ["test/gateway/paths"],
  },
  {
    name: "a second rule for an ambiguous path is left out",
    file: "src/gateway/select-rules.ts",
    find: "selected.push(rule);",
    replace: "selected.push(rule);\n    if (ambiguous) break;",
    tests: ["test/gateway/paths"],
  },
  {
    name: "a gap before an open tail needs a segment",
    file: "src/gateway/route.ts",
    find: "start = open ? head.length : last",
    replace: "start = open ? head.length + 1 : last",
    tests: ["test/gateway/rules"],
  },
  {
    name: "an open tail stands at the end",
    file: "src/gateway/route.ts",
    find: "start = open ? head.length : last",
    replace: "start = last",
    tests: ["test/gateway/rules"],
  },
  {
    name: "a wildcard's two ends may overlap",
    file: "src/gateway/route.ts",
    find: "segment.length >= before.length + after.length &&",
    replace: "",
    tests: ["test/gateway/rules"],
  },
  {
    name: "a wildcard's end may stand anywhere",
    file: "src/gateway/route.ts",
    find: "segment.endsWith(after)",
    replace: "segment.includes(after)",
    tests: ["test/gateway/rules"],
  },
  {
    name: "a wildcard's beginning may stand anywhere",
    file: "src/gateway/route.ts",
    find: "segment.startsWith(before)",
    replace: "segment.includes(before)",
    tests: ["test/gateway/rules"],
  },
  {
    name: "a rule in capitals covers nothing",
    file: "src/gateway/route.ts",
    find: "foldCase(path)",
    replace: "path",
    tests: ["test/gateway/paths"],
  },
  {
    name: "a rule's gap needs no tail",
    file: "src/gateway/route.ts",
    find: "(gap === -1 ? [] : pattern.slice(gap + 1))",
    replace: "(gap === -1 ? [] : pattern.slice(gap + 2))",
    tests: ["test/gateway/rules"],
  },
];
