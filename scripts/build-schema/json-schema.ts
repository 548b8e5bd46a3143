import * as z from "zod/mini";

import { ListEntry, Lists, Policy, Rule, Rules } from "../../src/gateway/rules/schema.ts";
import { ENTRY_FIELDS, LIST_FIELDS, POLICY_FIELDS, RULE_FIELDS } from "./descriptions.ts";

/** The JSON Schema of the list of rules, for editors. */
export function rulesSchema(): string {
  describeRules();
  return jsonSchema("Rules of a Tidegate gateway", Rules);
}

/** The JSON Schema of the lists, for editors. */
export function listsSchema(): string {
  describe(Lists.shape, LIST_FIELDS);
  for (const entry of ListEntry.def.options) describe(entry.shape, ENTRY_FIELDS);
  return jsonSchema("Lists of a Tidegate gateway", Lists);
}

/** Gives every field of a rule its description. */
export function describeRules(): void {
  describe(Rule.shape, RULE_FIELDS);
  for (const policy of Policy.def.options) describe(policy.shape, POLICY_FIELDS);
}

export function jsonSchema(title: string, of: z.ZodMiniType): string {
  const schema = z.toJSONSchema(of, { io: "input" });
  return `${JSON.stringify({ $schema: schema.$schema, title, ...schema }, null, 2)}\n`;
}

/** @throws Error for a field without a description */
export function describe(
  shape: Readonly<Record<string, z.core.$ZodType>>,
  descriptions: Readonly<Record<string, string>>,
): void {
  for (const [name, field] of Object.entries(shape)) {
    const description = descriptions[name];
    if (description === undefined)
      throw new Error(
        `the schema: give ${name} a description in scripts/build-schema/descriptions.ts`,
      );
    if (!z.globalRegistry.has(field)) z.globalRegistry.add(field, { description });
  }
}
