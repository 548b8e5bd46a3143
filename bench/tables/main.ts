// Builds the tables of figures in the documents from the measurements of the benchmark and the surge. `--check` writes nothing
// and fails if a committed table is stale.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { writeOrCheck } from "../../scripts/support/built-files.ts";
import type { Results } from "../benchmark/results.ts";
import type { SurgeResults } from "../surge/results.ts";
import { withMeasuredTables } from "./measured-tables.ts";
import { withSurgeTables } from "./surge-tables.ts";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));

const results = JSON.parse(readFileSync("bench/results.json", "utf8")) as Results;
const surge = JSON.parse(readFileSync("bench/surge.json", "utf8")) as SurgeResults;

const measured = (committed: string) => withMeasuredTables(committed, results);
const surged = (committed: string) => withSurgeTables(committed, surge);

writeOrCheck("build:docs", {
  "docs/durable-objects.md": measured,
  "docs/library.md": measured,
  "docs/surge.md": surged,
  "docs/figures.md": (committed) => surged(measured(committed)),
  "README.md": (committed) => surged(measured(committed)),
});
