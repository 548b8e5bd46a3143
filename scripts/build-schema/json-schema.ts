import * as z from "zod/mini";

import { Policy, Rule, Rules } from "../../src/gateway/schema.ts";
import { POLICY_FIELDS, RULE_FIELDS } from "./descriptions.ts";

/** The JSON Schema of the list of rules, for editors. */
export function rulesSchema(): string {
  describe(Rule.shape, RULE_FIELDS);
  for (const policy of Policy.def.options) describe(policy.shape, POLICY_FIELDS);
  const schema = z.toJSONSchema(Rules, { io: "input" });
  return `${JSON.stringify({ $schema: schema.$schema, title: "Rules of a Tidegate gateway", ...schema }, null, 2)}\n`;
}

/** @throws Error for a field without a description */
function describe(
  shape: Readonly<Record<string, z.core.$ZodType>>,
  descriptions: Readonly<Record<string, string>>,
): void {
  for (const [name, field] of Object.entries(shape)) {
    const description = descriptions[name];
    if (description === undefined) throw new Error(`the schema: ${name} has no description`);
    if (!z.globalRegistry.has(field)) z.globalRegistry.add(field, { description });
  }
}
