// Builds the tables of options in the documents from the docstrings of the option interfaces in src. `--check` writes
// nothing and fails if a committed table is stale.

import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { writeOrCheck } from "../support/built-files.ts";
import { withOptionTables } from "./option-tables.ts";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));

const LIBRARY = globSync("src/**/*.ts");
const sources = new Map(LIBRARY.map((path) => [path, readFileSync(path, "utf8")] as const));

writeOrCheck("build:docs", {
  "docs/options.md": (committed) => withOptionTables(committed, sources),
});
