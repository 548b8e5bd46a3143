import * as z from "zod/mini";

import type { Faults } from "../options/faults.ts";
import { didYouMean } from "../options/unknown-options.ts";

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
      faults.add(steps.reduce(append, path), found, hintOf(schema, key[0]) + issue.message);
    }
  }
  return result.data;
}

/** Finds faults, and brings what they say to do about them into other words. */
export function reworded<Result>(
  faults: Faults,
  find: () => Result,
  reword: (remedy: string) => string,
): Result {
  const before = faults.size;
  const result = find();
  for (const { path, value, remedy } of faults.list.splice(before)) {
    faults.list.push({ path, value, remedy: reword(remedy) });
  }
  return result;
}

/** Which key of a table may have been meant by one that it does not have. */
function hintOf(schema: z.ZodMiniType, key: string | undefined): string {
  if (key === undefined || !(schema instanceof z.ZodMiniObject)) return "";
  return didYouMean(key, Object.keys(schema.shape));
}

function append(path: string, step: PropertyKey): string {
  return typeof step === "number" ? `${path}[${step}]` : `${path}.${String(step)}`;
}

function descend(value: unknown, step: PropertyKey): unknown {
  return (value as Record<PropertyKey, unknown> | undefined)?.[step];
}
