import * as z from "zod/mini";

import { Override } from "../../src/admin/entry-answers.ts";
import { ListEntry, Lists, Plans, Rules } from "../../src/gateway/rules/schema.ts";
import { DOCUMENT_FIELDS, ENTRY_FIELDS, LIST_FIELDS, OVERRIDE_FIELDS } from "./descriptions.ts";
import { describe, describeRules, jsonSchema } from "./json-schema.ts";

/** For editors: `compileDocument` checks it. */
export const Document = z.strictObject({
  $schema: z.optional(z.string()),
  version: z.optional(z.int().check(z.gte(0))),
  rules: Rules,
  plans: z.optional(Plans),
  overrides: z.optional(z.array(Override)),
  lists: z.optional(Lists),
});

/** Gives every field of a document its description. */
export function describeDocument(): void {
  describeRules();
  describe(Lists.shape, LIST_FIELDS);
  for (const entry of ListEntry.def.options) describe(entry.shape, ENTRY_FIELDS);
  for (const override of Override.def.options) describe(override.shape, OVERRIDE_FIELDS);
  describe(Document.shape, DOCUMENT_FIELDS);
}

/** The JSON Schema of a live document, for editors. */
export function liveSchema(): string {
  describeDocument();
  return jsonSchema("Live rules of a Tidegate gateway", Document);
}
