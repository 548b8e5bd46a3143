// Writes what follows from the schema of the gateway's configuration: the JSON Schemas of its rules, lists and live
// documents, the description of the admin API, and the table of its variables in docs/options.md. `--check` only says whether the committed files are up to date.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { listsSchema, rulesSchema } from "./json-schema.ts";
import { liveSchema } from "./live-document.ts";
import { openApi } from "./openapi/document.ts";
import { withVariablesTable } from "./variables-table.ts";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));

const OPTIONS = "docs/options.md";
const files = new Map([
  ["docs/rules.schema.json", rulesSchema()],
  ["docs/lists.schema.json", listsSchema()],
  ["docs/live.schema.json", liveSchema()],
  ["docs/openapi.json", openApi()],
  [OPTIONS, withVariablesTable(readFileSync(OPTIONS, "utf8"))],
]);

for (const [path, built] of files) {
  if (!process.argv.includes("--check")) {
    writeFileSync(path, built);
  } else if (!existsSync(path) || readFileSync(path, "utf8") !== built) {
    console.error(`${path} is stale: run \`npm run build:schema\``);
    process.exitCode = 1;
  }
}
