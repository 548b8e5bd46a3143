import { createJsonScanner } from "./json-scanner.ts";
import { reportUnknown } from "./read-usage.ts";
import { createUsageReader } from "./usage-reader.ts";
import type { Usage } from "./usage.ts";

/** Tokens of one direction: a number, or apart since version 6 of the AI SDK. */
type Tokens = number | undefined | ({ readonly total?: number | undefined } & Parts);

interface Parts {
  readonly noCache?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly text?: number | undefined;
  readonly reasoning?: number | undefined;
}

/** The usage that a model of the AI SDK reports. */
export interface ModelUsage {
  readonly inputTokens?: Tokens;
  readonly outputTokens?: Tokens;
  readonly totalTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
  /** As the provider has told it. */
  readonly raw?: unknown;
}

/**
 * The usage as a provider's response tells it; `undefined` if the model tells none. If the provider's own numbers come to more,
 * these count: the AI SDK leaves out the tokens of a second model, for example.
 */
export function usageOf(usage: ModelUsage | undefined): Usage | undefined {
  if (!usage) return undefined;
  const { inputTokens, outputTokens, totalTokens, reasoningTokens, cachedInputTokens, raw } = usage;
  const { cacheRead = cachedInputTokens, cacheWrite } = partsOf(inputTokens);
  const told = read({
    prompt_tokens: sumOf(inputTokens),
    completion_tokens: sumOf(outputTokens),
    total_tokens: totalTokens,
    prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  });
  const own = read(raw);
  const most = told && own ? greater(told, own) : told;
  const isSound = [inputTokens, outputTokens].every((tokens) => partsIn(tokens).every(isTokens));
  return most && { ...most, complete: most.complete && isSound };
}

function greater(told: Usage, own: Usage): Usage {
  const complete = told.complete && own.complete;
  return { ...own, ...(own.totalTokens > told.totalTokens ? own : told), complete };
}

/** Reads a usage as one in a response. What is no JSON tells none. */
function read(usage: unknown): Usage | undefined {
  const reader = createUsageReader(false, reportUnknown);
  const { scan } = createJsonScanner(reader);
  try {
    const bytes = new TextEncoder().encode(JSON.stringify({ usage }));
    scan(bytes, 0, bytes.length);
  } catch {
    return undefined;
  }
  return reader.usage(true);
}

function partsOf(tokens: Tokens): Parts {
  return typeof tokens === "object" && tokens !== null ? tokens : {};
}

function partsIn(tokens: Tokens): readonly unknown[] {
  const { noCache, cacheRead, cacheWrite, text, reasoning } = partsOf(tokens);
  return [noCache, cacheRead, cacheWrite, text, reasoning].filter(
    (each) => (each ?? undefined) !== undefined,
  );
}

/** A part that is no such number is not summed: it would hide others. */
const isTokens = (part: unknown): part is number => typeof part === "number" && part >= 0;

function sumOf(tokens: Tokens): number | undefined {
  if (typeof tokens !== "object" || tokens === null) return tokens;
  const { total } = tokens;
  const parts = partsIn(tokens).filter(isTokens);
  // A total that cannot be read is not hidden behind its parts.
  if (parts.length === 0 || (total !== undefined && !(total >= 0))) return total;
  return Math.max(
    total ?? 0,
    parts.reduce((all, each) => all + each, 0),
  );
}
