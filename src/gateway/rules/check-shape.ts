import * as z from "zod/mini";

import type { Faults } from "../../options/faults.ts";
import { MAX_NAMES } from "../../options/messages.ts";
import { nearest } from "../../options/unknown-options.ts";
import { SHAPE, UNKNOWN_FIELD } from "./variable-messages.ts";

/**
 * Checks the shape of a value with a schema and returns its output; `undefined` after a fault. Adds the first fault of each
 * path.
 */
export function check<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  path: string,
  faults: Faults,
): z.output<Schema> | undefined {
  const result = z.safeParse(schema, value);
  const reported = new Set<string>();
  for (const issue of result.error?.issues ?? []) {
    const { message: sentence } = issue;
    const at = issue.path.reduce(append, path);
    const found = issue.path.reduce(descend, value);
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys.slice(0, MAX_NAMES)) {
        const meant = issue.path.length === 0 ? nearestField(schema, key) : undefined;
        faults.add(append(at, key), descend(found, key), UNKNOWN_FIELD, { meant, sentence });
      }
    } else if (!reported.has(at)) {
      faults.add(at, found, SHAPE, sentence);
    }
    reported.add(at);
  }
  return result.data;
}

/** The field of the table that an unknown key resembles. */
function nearestField(schema: z.ZodMiniType, key: string): string | undefined {
  return schema instanceof z.ZodMiniObject ? nearest(key, Object.keys(schema.shape)) : undefined;
}

function append(path: string, step: PropertyKey): string {
  return typeof step === "number" ? `${path}[${step}]` : `${path}.${String(step)}`;
}

function descend(value: unknown, step: PropertyKey): unknown {
  return (value as Record<PropertyKey, unknown> | undefined)?.[step];
}
