// Builds the tables of figures in the documents from the measurements of the benchmark and the surge. `--check` writes nothing
// and fails if a committed table is stale.

import { fileURLToPath } from "node:url";

import { writeOrCheck } from "../../scripts/support/built-files.ts";
import { readResults } from "../benchmark/results.ts";
import { readResults as readSurge } from "../surge/results.ts";
import { withMeasuredTables } from "./measured-tables.ts";
import { withSurgeTables } from "./surge-tables.ts";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));

const results = await readResults("bench/results.json");
const surge = await readSurge("bench/surge.json");

const measured = (committed: string) => withMeasuredTables(committed, results);
const surged = (committed: string) => withSurgeTables(committed, surge);

writeOrCheck("build:docs", {
  "docs/durable-objects.md": measured,
  "docs/library.md": measured,
  "docs/regions.md": measured,
  "docs/surge.md": surged,
  "docs/figures.md": (committed) => surged(measured(committed)),
  "README.md": (committed) => surged(measured(committed)),
});
