import * as z from "zod/mini";

import { VARIABLES } from "../../src/gateway/config/variable-shapes.ts";
import { VARIABLE_MEANINGS } from "./descriptions.ts";

const BEGIN = "<!-- gateway variables -->";
const END = "<!-- end gateway variables -->";

/**
 * Replaces the table of the gateway's variables in a Markdown text.
 *
 * @throws Error if the text has no place for it, or a variable no meaning
 */
export function withVariablesTable(markdown: string): string {
  const [start, end] = [markdown.indexOf(BEGIN), markdown.indexOf(END)];
  if (start === -1 || end < start) throw new Error(`no ${BEGIN} ... ${END} in the text`);
  const rows = Object.entries(VARIABLES).map(([name, schema]) => row(name, schema));
  const table = ["| variable | values | default | meaning |", "| --- | --- | --- | --- |", ...rows];
  return `${markdown.slice(0, start + BEGIN.length)}\n\n${align(table)}\n\n${markdown.slice(end)}`;
}

function row(name: string, schema: z.ZodMiniType): string {
  const meaning = VARIABLE_MEANINGS[name];
  if (meaning === undefined) throw new Error(`${name} has no meaning in the documentation`);
  const json = z.toJSONSchema(schema, { io: "input" }) as JsonSchema;
  const fallback = json.default === undefined ? "" : `\`${JSON.stringify(json.default)}\``;
  return `| \`${name}\` | ${valuesOf(json)} | ${fallback} | ${meaning} |`;
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

/** Pads the cells of a table, as the formatter does. */
function align(rows: readonly string[]): string {
  const cells = rows.map((text) => text.slice(2, -2).split(" | "));
  const widths = cells[0]!.map((_, column) =>
    Math.max(...cells.map((line) => (line[column] === "---" ? 3 : line[column]!.length))),
  );
  return cells
    .map((line) => {
      const padded = line.map((cell, column) =>
        cell === "---" ? "-".repeat(widths[column]!) : cell.padEnd(widths[column]!),
      );
      return `| ${padded.join(" | ")} |`;
    })
    .join("\n");
}
