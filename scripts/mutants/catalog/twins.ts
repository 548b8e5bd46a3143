import type { Written } from "../written.ts";

/** What is reported once. */
export const TWINS: readonly Written[] = [
  {
    name: "twins of one name that was given are reported",
    file: "src/limiter/unnamed-twins.ts",
    find: "if (!name.startsWith(`${algorithm}-`)) continue;",
    replace: "",
    tests: ["test/limiter/unnamed-twins"],
  },
  {
    name: "twins under other prefixes are twins",
    file: "src/limiter/unnamed-twins.ts",
    find: "JSON.stringify([address, prefix, name])",
    replace: "JSON.stringify([address, name])",
    tests: ["test/limiter/unnamed-twins"],
  },
  {
    name: "twins in another Redis are twins",
    file: "src/limiter/unnamed-twins.ts",
    find: "JSON.stringify([address, prefix, name])",
    replace: "JSON.stringify([prefix, name])",
    tests: ["test/limiter/unnamed-twins"],
  },
  {
    name: "a store of one's own is no place",
    file: "src/limiter/unnamed-twins.ts",
    find: "byObject.set(place, noted);",
    replace: "",
    tests: ["test/limiter/unnamed-twins"],
  },
  {
    name: "twins are reported with every limiter",
    file: "src/limiter/unnamed-twins.ts",
    find: "reportOnce(\n",
    replace: "report(\n",
    tests: ["test/limiter/unnamed-twins"],
  },
  {
    name: "a process notes names without end",
    file: "src/limiter/unnamed-twins.ts",
    find: "else if (noted.size < MAX_NAMES)",
    replace: "else",
    tests: ["test/limiter/unnamed-twins"],
  },
  {
    name: "twins are not reported",
    file: "src/limiter/open-limiter.ts",
    find: "  reportUnnamedTwins(place, settings);\n",
    replace: "",
    tests: ["test/limiter/unnamed-twins", "test/edge/vercel"],
  },
  {
    name: "a report is made once more",
    file: "src/runtime/log.ts",
    find: "reported.add(message);",
    replace: "",
    tests: ["test/runtime/log"],
  },
];
