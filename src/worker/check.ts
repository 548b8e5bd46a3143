import * as z from "zod/mini";

import type { Faults } from "../errors.ts";

/** What a schema makes of a value; `undefined` if there were faults, each added under the path at which it stands. */
export function check<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  path: string,
  faults: Faults,
): z.output<Schema> | undefined {
  const result = z.safeParse(schema, value);
  for (const issue of result.error?.issues ?? []) {
    const keys = issue.code === "unrecognized_keys" ? issue.keys.map((key) => [key]) : [[]];
    for (const key of keys) {
      const steps = [...issue.path, ...key];
      const found = steps.reduce(descend, value);
      faults.add(steps.reduce(append, path), withoutCredentials(found), issue.message);
    }
  }
  return result.data;
}

function append(path: string, step: PropertyKey): string {
  return typeof step === "number" ? `${path}[${step}]` : `${path}.${String(step)}`;
}

function descend(value: unknown, step: PropertyKey): unknown {
  return (value as Record<PropertyKey, unknown> | undefined)?.[step];
}

function withoutCredentials(value: unknown): unknown {
  return typeof value === "string" ? value.replace(/^([^/]*)\/\/.*@/, "$1//(hidden)@") : value;
}
