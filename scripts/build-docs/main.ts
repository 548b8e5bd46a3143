// Builds the tables of docs/options.md from the docstrings of the option interfaces in src. `--check` writes nothing and
// fails if the committed tables are stale.

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { withOptionTables } from "./option-tables.ts";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));

const OUTPUT = "docs/options.md";

const sources = new Map(
  globSync("src/**/*.ts").map((path) => [path, readFileSync(path, "utf8")] as const),
);
const committed = readFileSync(OUTPUT, "utf8");
const built = withOptionTables(committed, sources);
if (!process.argv.includes("--check")) {
  writeFileSync(OUTPUT, built);
} else if (built !== committed) {
  console.error(`${OUTPUT} is stale: run \`npm run build:docs\``);
  process.exitCode = 1;
}
