import type { Written } from "../written.ts";

/** What is read of a path's named segments. */
export const SEGMENTS: readonly Written[] = [
  {
    name: "a segment's value has its parameters",
    file: "src/gateway/match/named-segments.ts",
    find: '.replace(/[;?#][^]*/, "")',
    replace: "",
    tests: ["test/gateway/match/path-values"],
  },
  {
    name: "a segment's value is decoded once",
    file: "src/gateway/match/named-segments.ts",
    find: "round < ROUNDS",
    replace: "round < 1",
    tests: ["test/gateway/match/path-values"],
  },
  {
    name: "a segment's value is decoded in capitals",
    file: "src/gateway/match/named-segments.ts",
    find: 'foldCase(text.replace(/[;?#][^]*/, "").trimEnd())',
    replace: 'text.replace(/[;?#][^]*/, "").trimEnd()',
    tests: ["test/gateway/match/path-values"],
  },
  {
    name: "a segment is read from the plain path alone",
    file: "src/gateway/match/named-segments.ts",
    find: "const covered = readings.filter(isCovered);",
    replace: "const covered = readings.slice(0, 1);",
    tests: ["test/gateway/match/path-values"],
  },
  {
    name: "a segment is read from paths that the rule does not cover",
    file: "src/gateway/match/named-segments.ts",
    find: "readings.filter(isCovered)",
    replace: "readings",
    tests: ["test/gateway/match/path-values"],
  },
  {
    name: "an open end has one place",
    file: "src/gateway/match/named-segments.ts",
    find: "if (!isOpen) return [last];",
    replace: "return [last];",
    tests: ["test/gateway/match/path-values"],
  },
  {
    name: "a name on both sides of a gap stands behind it alone",
    file: "src/gateway/match/named-segments.ts",
    find: "inHead.concat(starts",
    replace: "[].concat(starts",
    tests: ["test/gateway/match/path-values"],
  },
  {
    name: "the gateway reads segments in one way",
    file: "src/gateway/route/route.ts",
    find: "bindings, readings };",
    replace: "bindings, readings: [paths.plain] };",
    tests: ["test/gateway/rules/sources"],
  },
];
