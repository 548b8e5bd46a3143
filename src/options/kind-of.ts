/** Describes a value by its kind, because it may contain a token. */
export function kindOf(value: unknown): unknown {
  if (value === null || value === undefined) return value;
  return typeof value === "object" ? "(an object)" : `(a ${typeof value})`;
}
