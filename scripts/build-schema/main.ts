// Writes what follows from the schema of the gateway's configuration: the JSON Schemas of its rules, lists and live
// documents, the description of the admin API, and the blocks of its variables in docs/options.md. `--check` only says whether the committed files are up to date.

import { writeOrCheck } from "../support/built-files.ts";
import { listsSchema, rulesSchema } from "./json-schema.ts";
import { liveSchema } from "./live-document.ts";
import { openApi } from "./openapi/document.ts";
import { withVariableBlocks } from "./variable-blocks.ts";

writeOrCheck("build:schema", {
  "docs/rules.schema.json": rulesSchema(),
  "docs/lists.schema.json": listsSchema(),
  "docs/live.schema.json": liveSchema(),
  "docs/openapi.json": openApi(),
  "docs/options.md": withVariableBlocks,
});
