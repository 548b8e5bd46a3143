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
  readonly cachedInputTokens?: number | undefined;
}

/** The usage as a provider's response tells it; `undefined` if the model tells none. */
export function usageOf(usage: ModelUsage | undefined): Usage | undefined {
  const { inputTokens, outputTokens, totalTokens, cachedInputTokens } = usage ?? {};
  const [input, output] = [inputTokens, outputTokens].map(sumOf);
  if (input === undefined && output === undefined && totalTokens === undefined) return undefined;
  const parts = partsOf(inputTokens);
  const cached = parts.cacheRead ?? cachedInputTokens;
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    totalTokens: totalTokens ?? (input ?? 0) + (output ?? 0),
    ...(cached !== undefined && { cachedTokens: cached }),
    ...(parts.cacheWrite !== undefined && { cacheWriteTokens: parts.cacheWrite }),
    complete: true,
  };
}

function partsOf(tokens: Tokens): Parts {
  return typeof tokens === "object" ? tokens : {};
}

function sumOf(tokens: Tokens): number | undefined {
  if (typeof tokens !== "object") return tokens;
  const { total, noCache, cacheRead, cacheWrite, text, reasoning } = tokens;
  if (total !== undefined) return total;
  const parts = [noCache, cacheRead, cacheWrite, text, reasoning].filter(
    (each) => each !== undefined,
  );
  return parts.length > 0 ? parts.reduce((sum, each) => sum + each, 0) : undefined;
}
