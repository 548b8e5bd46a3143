import type { Written } from "../written.ts";

/** Several sources together: how their values are joined, and which lists of them are taken. */
export const SOURCE_LISTS: readonly Written[] = [
  {
    name: "a platform's word is taken from nobody",
    file: "src/partition/source-reader.ts",
    find: " || !tellsFacts(trusted)",
    replace: "",
    tests: ["test/partition/source-faults"],
  },
  {
    name: "a pair is there with one of its parts",
    file: "src/partition/source.ts",
    find: "if (part === undefined) return undefined;",
    replace: "if (part === undefined) continue;",
    tests: ["test/partition/together"],
  },
  {
    name: "a pair is joined without a mark",
    file: "src/partition/source.ts",
    find: 'const JOINT = ",";',
    replace: 'const JOINT = "";',
    tests: ["test/partition/together"],
  },
  {
    name: "a choice after a part of it is taken",
    file: "src/partition/source.ts",
    find: ".every((part) => parts.has(part))",
    replace: ".every((part) => parts.has(part) && parts.size === earlier.parts.size)",
    tests: ["test/partition/source-faults"],
  },
  {
    name: "a wrong inner list hides other choices",
    file: "src/partition/source.ts",
    find: "faults.list.length > before ? new Set() : parts",
    replace: "parts",
    tests: ["test/partition/source-faults"],
  },
  {
    name: "a source twice in an inner list is taken",
    file: "src/partition/source.ts",
    find: "if (parts.has(part))",
    replace: "if (false)",
    tests: ["test/partition/source-faults"],
  },
  {
    name: "a subnet needs no CLIENT_IP",
    file: "src/partition/source-text.ts",
    find: ' || source === "subnet"',
    replace: "",
    tests: ["test/gateway/rules/sources"],
  },
  {
    name: "an inner list needs no CLIENT_IP",
    file: "src/partition/source-text.ts",
    find: "Array.isArray(sources) ? sources.flat() : []",
    replace: "Array.isArray(sources) ? sources : []",
    tests: ["test/gateway/rules/sources"],
  },
];
