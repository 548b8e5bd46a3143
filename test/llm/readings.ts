/*
 * What the usages of a body can be taken for, apart from the product: a bill is at most the greatest of these.
 */

export type Fields = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Names of numbers that stand in the document itself. */
const OF_DOCUMENTS = [
  "eval_count",
  "prompt_eval_count",
  "prompt_token_count",
  "inputTextTokenCount",
];

/** The usages of a document. */
export function usagesIn(document: unknown): readonly Fields[] {
  if (!isObject(document)) return [];
  const at = (name: string) => (isObject(document[name]) ? document[name]["usage"] : undefined);
  const own = [document["usage"], document["usageMetadata"]];
  const wrapped = ["response", "message", "interaction", "delta", "result", "x_groq"].map(at);
  const chosen = listOf(document["choices"]).map((choice) => Object(choice).usage as unknown);
  const counts = OF_DOCUMENTS.some((name) => name in document) ? [document] : [];
  return [...own, ...wrapped, ...chosen, ...counts].filter(isObject);
}

const numberOf = (value: unknown) =>
  typeof value === "number" && value >= 0 ? Math.min(Math.ceil(value), Number.MAX_SAFE_INTEGER) : 0;

/** The names whose sum is what a usage comes to. */
const SUMS = [
  ["total_tokens"],
  ["totalTokens"],
  ["totalTokenCount"],
  ["prompt_tokens", "completion_tokens"],
  ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"],
  ["inputTokens", "outputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"],
  ["promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "toolUsePromptTokenCount"],
  ["total_input_tokens", "total_output_tokens", "total_thought_tokens", "total_tool_use_tokens"],
  ["totalInputTokens", "totalOutputTokens", "totalThoughtTokens", "totalToolUseTokens"],
  ["prompt_eval_count", "eval_count"],
  ["prompt_token_count", "generation_token_count"],
];

const sumOf = (usage: Fields, names: readonly string[]) =>
  names.reduce((sum, name) => sum + numberOf(usage[name]), 0);

const greatestOf = (usage: Fields) => Math.max(...SUMS.map((names) => sumOf(usage, names)));

/** The most that usages come to which tell their numbers again as they grow. */
export function greatestReading(usages: readonly Fields[]): number {
  const names = new Set(usages.flatMap(Object.keys));
  const merged = Object.fromEntries(
    [...names].map((name) => [name, Math.max(...usages.map((usage) => numberOf(usage[name])))]),
  );
  const iterated = usages.map((usage) =>
    listOf(usage["iterations"])
      .filter(isObject)
      .reduce((sum, each) => sum + greatestOf(each), 0),
  );
  const parts = usages.flatMap((usage) => ["billed_units", "tokens"].map((name) => usage[name]));
  return Math.min(
    Number.MAX_SAFE_INTEGER,
    Math.max(greatestOf(merged), ...iterated, ...parts.filter(isObject).map(greatestOf)),
  );
}
