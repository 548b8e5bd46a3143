// Builds the options in the documents from the docstrings of the option interfaces in src. `--check` writes
// nothing and fails if committed ones are stale.

import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { writeOrCheck } from "../support/built-files.ts";
import { withOptions } from "./with-options.ts";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));

const LIBRARY = globSync("src/**/*.ts");
const sources = new Map(LIBRARY.map((path) => [path, readFileSync(path, "utf8")] as const));

writeOrCheck("build:docs", {
  "docs/options.md": (committed) => withOptions(committed, sources),
});
