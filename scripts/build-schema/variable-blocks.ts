import * as z from "zod/mini";

import { VARIABLES } from "../../src/gateway/config/variable-shapes.ts";
import { block } from "../build-docs/option-blocks.ts";
import { VARIABLE_MEANINGS } from "./descriptions.ts";

const BEGIN = "<!-- gateway variables -->";
const END = "<!-- end gateway variables -->";

/**
 * Replaces the blocks of the gateway's variables in a Markdown text.
 *
 * @throws Error if the text has no place for them, or a variable no meaning
 */
export function withVariableBlocks(markdown: string): string {
  const [start, end] = [markdown.indexOf(BEGIN), markdown.indexOf(END)];
  if (start === -1 || end < start) throw new Error(`no ${BEGIN} ... ${END} in the text`);
  const blocks = Object.entries(VARIABLES).map(([name, schema]) => variable(name, schema));
  const before = markdown.slice(0, start + BEGIN.length);
  return `${before}\n\n${blocks.join("\n\n")}\n\n${markdown.slice(end)}`;
}

function variable(name: string, schema: z.ZodMiniType): string {
  const meaning = VARIABLE_MEANINGS[name];
  if (meaning === undefined) throw new Error(`${name} has no meaning in the documentation`);
  const json = z.toJSONSchema(schema, { io: "input" }) as JsonSchema;
  const standard = json.default === undefined ? "" : `default \`${JSON.stringify(json.default)}\``;
  return block(name, [valuesOf(json), standard], meaning);
}

interface JsonSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly default?: unknown;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

function valuesOf(json: JsonSchema): string {
  if (json.anyOf) return json.anyOf.map(valuesOf).join(", ");
  if (json.enum) return json.enum.map((value) => `\`"${value}"\``).join(", ");
  if (json.properties) {
    const fields = Object.values(json.properties);
    if (fields.some(({ type }) => type === "array")) return "table";
    const [range, shape] = fieldOf(json.properties);
    return `\`${shape}\`, ${range}`;
  }
  if (json.type === "array") return "list";
  if (json.type === "object") return "table";
  return json.pattern?.includes("ms|s|m|h|d") ? "time" : "text";
}

/** The range of the one number in a table, and the table as it is written. */
function fieldOf(
  properties: NonNullable<JsonSchema["properties"]>,
): [range: string, shape: string] {
  const [name, field] = Object.entries(properties)[0]!;
  if (field.properties) {
    const [range, inner] = fieldOf(field.properties);
    return [range, `{ ${name} = ${inner} }`];
  }
  const { exclusiveMinimum, maximum } = field;
  const from = exclusiveMinimum === undefined ? "1" : `above ${exclusiveMinimum}`;
  return [`${from} to ${maximum}`, `{ ${name} }`];
}
