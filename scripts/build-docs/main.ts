// Builds the tables of the documents: those of options from the docstrings of the option interfaces in src, those of
// figures from what the benchmark and the surge measured. `--check` writes nothing and fails if a committed table is stale.

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { Results } from "../../bench/benchmark/results.ts";
import type { SurgeResults } from "../../bench/surge/results.ts";
import { withMeasuredTables } from "./measured-tables.ts";
import { withOptionTables } from "./option-tables.ts";
import { withSurgeTables } from "./surge-tables.ts";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));

const LIBRARY = globSync("src/**/*.ts", { exclude: ["src/node/**"] });
const sources = new Map(LIBRARY.map((path) => [path, readFileSync(path, "utf8")] as const));
const bench = JSON.parse(readFileSync("bench/results.json", "utf8")) as Results;
const surge = JSON.parse(readFileSync("bench/surge.json", "utf8")) as SurgeResults;

const DOCUMENTS: Record<string, (committed: string) => string> = {
  "docs/options.md": (committed) => withOptionTables(committed, sources),
  "docs/durable-objects.md": (committed) => withMeasuredTables(committed, bench),
  "docs/library.md": (committed) => withMeasuredTables(committed, bench),
  "docs/surge.md": (committed) => withSurgeTables(committed, surge),
  "docs/figures.md": (committed) => withSurgeTables(withMeasuredTables(committed, bench), surge),
  "README.md": (committed) => withSurgeTables(withMeasuredTables(committed, bench), surge),
};

for (const [path, build] of Object.entries(DOCUMENTS)) {
  const committed = readFileSync(path, "utf8");
  const built = build(committed);
  if (!process.argv.includes("--check")) {
    writeFileSync(path, built);
  } else if (built !== committed) {
    console.error(`${path} is stale: run \`npm run build:docs\``);
    process.exitCode = 1;
  }
}
