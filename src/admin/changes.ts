import diff, { type Difference } from "microdiff";

import { isRecord } from "../options/record.ts";
import type { Change } from "./answer-parts.ts";

const TYPES = { CREATE: "added", REMOVE: "removed", CHANGE: "changed" } as const;

/** The changes from one document, or none, to another. Lists are compared by position. */
export function changesBetween(before: unknown, after: unknown): readonly Change[] {
  return diff(withoutPrototypes(before ?? {}), withoutPrototypes(after ?? {}), {
    cyclesFix: false,
  }).map(changeOf);
}

function changeOf(difference: Difference): Change {
  return {
    type: TYPES[difference.type],
    path: difference.path.reduce<string>(append, ""),
    ...("oldValue" in difference && { before: difference.oldValue as unknown }),
    ...("value" in difference && { after: difference.value as unknown }),
  };
}

/** Names such as `constructor`, which every object inherits, would be taken for fields that are there. */
function withoutPrototypes(value: unknown): Record<string, unknown> {
  const copy = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(copy);
    if (!isRecord(inner)) return inner;
    const bare = Object.create(null) as Record<string, unknown>;
    for (const [name, each] of Object.entries(inner)) bare[name] = copy(each);
    return bare;
  };
  return copy(value) as Record<string, unknown>;
}

function append(path: string, step: string | number): string {
  if (typeof step === "number") return `${path}[${step}]`;
  return path === "" ? step : `${path}.${step}`;
}

/** The audit is a record, no copy of the documents: history has those. */
const MAX_KEPT_CHANGES = 20;
const MAX_KEPT_CHARACTERS = 2_000;

/** As many of the changes as the audit keeps, and how many are left out. */
export function keptChanges(changes: readonly Change[]): {
  readonly changes: readonly Change[];
  readonly omitted?: number;
} {
  const kept: Change[] = [];
  let characters = 0;
  for (const change of changes.slice(0, MAX_KEPT_CHANGES)) {
    const text = JSON.stringify(change);
    characters += text.length;
    if (characters > MAX_KEPT_CHARACTERS) break;
    // A Durable Object refuses objects without a prototype.
    kept.push(JSON.parse(text) as Change);
  }
  const omitted = changes.length - kept.length;
  return { changes: kept, ...(omitted > 0 && { omitted }) };
}
