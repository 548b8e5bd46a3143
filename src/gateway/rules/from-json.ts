/** Parses a value given as text; returns the error if it is not JSON. */
export function fromJson(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch (error) {
    return error;
  }
}

/** A variable that is a word or a table: a table may be given as JSON, where variables are text. */
export function wordOrJson(value: unknown): unknown {
  const parsed = fromJson(value);
  return parsed instanceof SyntaxError ? value : parsed;
}
