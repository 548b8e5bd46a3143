import type { Written } from "../written.ts";

/** The build of docs/options.md reads docstrings, and refuses those that lack a part. */
export const OPTION_TABLES: readonly Written[] = [
  {
    name: "option tables: an option may lack its default",
    file: "scripts/build-docs/option-table.ts",
    find: "if ((standard === undefined) !== required) {",
    replace: "if (required && standard !== undefined) {",
    tests: ["test/docs/options"],
  },
  {
    name: "option tables: the first of two interfaces is taken",
    file: "scripts/build-docs/option-tables.ts",
    find: "if (found.length === 1) return",
    replace: "if (found.length >= 1) return",
    tests: ["test/docs/options"],
  },
  {
    name: "option tables: a semicolon in a docstring ends an option",
    file: "scripts/build-docs/interface.ts",
    find: 'if (text.startsWith("/*", at)) at = text.indexOf("*/", at) + 1;\n    else ',
    replace: "",
    tests: ["test/docs/options"],
  },
];
