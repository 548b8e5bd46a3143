import type { Usage } from "./usage.ts";

const COUNTERS = [
  "inputTokens",
  "outputTokens",
  "cachedTokens",
  "cacheWriteTokens",
  "cacheWriteHourTokens",
  "audioInputTokens",
  "audioOutputTokens",
  "searches",
  "containers",
  "costMicroDollars",
] as const;

/** The units that a session has used since an earlier usage of it. A counter that is smaller than before adds none. */
export function usageGrowth(now: Usage, before: Usage | undefined): Usage {
  if (!before) return now;
  const grown = COUNTERS.flatMap((name) => {
    const units = now[name];
    return units === undefined ? [] : [[name, Math.max(0, units - (before[name] ?? 0))] as const];
  });
  const counts = Object.fromEntries(grown) as Pick<Usage, "inputTokens" | "outputTokens">;
  const totalTokens = Math.min(counts.inputTokens + counts.outputTokens, Number.MAX_SAFE_INTEGER);
  return { ...now, ...counts, totalTokens };
}
