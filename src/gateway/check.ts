import * as z from "zod/mini";

import type { Fault } from "../errors/errors.ts";
import { PLAN_EXAMPLE, PLANS_EXAMPLE } from "../features/plans/plans.ts";
import type { Faults } from "../options/faults.ts";
import { didYouMean, MAX_NAMES, nearest } from "../options/unknown-options.ts";

type Issue = z.core.$ZodIssue;

/**
 * Checks a value of the configuration with a schema and returns its output; `undefined` after a fault. Adds the first
 * fault of each path, but none that is reported later.
 */
export function check<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  path: string,
  faults: Faults,
): z.output<Schema> | undefined {
  const result = z.safeParse(schema, value);
  const issues = result.error?.issues.filter((issue) => !isReportedLater(issue, value)) ?? [];
  addIssues(schema, value, path, issues, faults);
  return result.data;
}

/** Checks any other value, which nothing checks later. */
export function checkAll<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  path: string,
  faults: Faults,
): z.output<Schema> | undefined {
  const result = z.safeParse(schema, value);
  addIssues(schema, value, path, result.error?.issues ?? [], faults);
  return result.data;
}

/**
 * `compilePolicies` reports unknown options of a policy, with a suggestion; `compileSources` and `compileCost` report what
 * is wrong with a partition and with costs by name, more exactly.
 */
function isReportedLater({ code, path }: Issue, value: unknown): boolean {
  if (path.includes("partition")) return true;
  if (code === "unrecognized_keys") return path.length > 0;
  const found = path.reduce(descend, value);
  return path.at(-1) === "cost" && typeof found === "object" && found !== null;
}

function addIssues(
  schema: z.ZodMiniType,
  value: unknown,
  path: string,
  issues: readonly Issue[],
  faults: Faults,
): void {
  onePerPath(faults, () => {
    for (const issue of issues) {
      const keys =
        issue.code === "unrecognized_keys"
          ? issue.keys.slice(0, MAX_NAMES).map((key) => [key])
          : [[]];
      for (const key of keys) {
        const steps = [...issue.path, ...key];
        const found = steps.reduce(descend, value);
        const hint = issue.path.length === 0 ? hintOf(schema, key[0]) : "";
        faults.add(steps.reduce(append, path), found, hint + issue.message);
      }
    }
  });
}

/** Calls `find`, and keeps of the faults that it adds the first at each path that had none. */
export function onePerPath<Result>(faults: Faults, find: () => Result): Result {
  const before = faults.list.length;
  const result = find();
  const paths = new Set(faults.list.slice(0, before).map(({ path }) => path));
  for (const fault of faults.list.splice(before)) {
    if (paths.has(fault.path)) continue;
    paths.add(fault.path);
    faults.list.push(fault);
  }
  return result;
}

/** Calls `find`, and rewrites the faults that it adds, each into one or several. */
export function rewritten<Result>(
  faults: Faults,
  find: () => Result,
  rewrite: (fault: Fault) => Fault | readonly Fault[],
): Result {
  const before = faults.list.length;
  const result = find();
  for (const fault of faults.list.splice(before).flatMap(rewrite)) faults.list.push(fault);
  return result;
}

/** Rewrites the TypeScript object in a fault's remedy as TOML and JSON. */
export function inToml({ remedy, ...fault }: Fault): Fault {
  return { ...fault, remedy: tomlOf(remedy) };
}

/** A remedy with its TypeScript object as TOML and JSON. */
export function tomlOf(remedy: string): string {
  return remedy
    .replace(
      PLANS_EXAMPLE,
      '{ gold = { rides = { limit = 200 } } } (where variables are text, {"gold":{"rides":{"limit":200}}})',
    )
    .replace(PLAN_EXAMPLE, "{ rides = { limit = 200 } }")
    .replace(
      "{ trustedHops: 1 }",
      '{ trustedHops = 1 } (where variables are text, {"trustedHops":1})',
    )
    .replace(
      "{ status: [401, 403] }",
      '{ status = [401, 403] } (where variables are text, {"status":[401,403]})',
    )
    .replace(
      "{ local: { share: 0.1 } }",
      '{ local = { share = 0.1 } } (where variables are text, {"local":{"share":0.1}})',
    );
}

/** Suggests a key of the table that resembles an unknown key. */
function hintOf(schema: z.ZodMiniType, key: string | undefined): string {
  if (key === undefined || !(schema instanceof z.ZodMiniObject)) return "";
  return didYouMean(nearest(key, Object.keys(schema.shape)));
}

function append(path: string, step: PropertyKey): string {
  return typeof step === "number" ? `${path}[${step}]` : `${path}.${String(step)}`;
}

function descend(value: unknown, step: PropertyKey): unknown {
  return (value as Record<PropertyKey, unknown> | undefined)?.[step];
}
