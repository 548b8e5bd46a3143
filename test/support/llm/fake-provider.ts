/** A provider's limits, which change at these times, in seconds from its beginning. */
export interface Limits {
  readonly fromS: number;
  readonly requests: number;
  readonly tokens: number;
}

/** A provider with token buckets of requests and tokens a minute, and OpenAI's header fields. The clock is that of the process. */
export function startFakeProvider(plan: readonly Limits[]) {
  const startMs = Date.now();
  const counts = { asked: 0, refused: 0, tokens: 0 };
  const levels = { requests: plan[0]!.requests, tokens: plan[0]!.tokens };
  let atMs = startMs;

  const limitsAt = (ms: number) => plan.findLast(({ fromS }) => ms - startMs >= fromS * 1000)!;

  /** What comes back until now, by the limits of each moment. */
  function refill(): Limits {
    const nowMs = Date.now();
    while (atMs < nowMs) {
      const limits = limitsAt(atMs);
      const change = plan.find(({ fromS }) => startMs + fromS * 1000 > atMs);
      const untilMs = Math.min(nowMs, change ? startMs + change.fromS * 1000 : Infinity);
      const after = limitsAt(untilMs);
      for (const kind of ["requests", "tokens"] as const) {
        const level = levels[kind] + (limits[kind] * (untilMs - atMs)) / 60_000;
        levels[kind] = Math.min(level, limits[kind], after[kind]);
      }
      atMs = untilMs;
    }
    return limitsAt(nowMs);
  }

  /** Answers at once. */
  function ask(tokens: number): Response {
    const limits = refill();
    counts.asked++;
    const isRefused = levels.requests < 1 || levels.tokens < tokens;
    if (isRefused) counts.refused++;
    else {
      levels.requests -= 1;
      levels.tokens -= tokens;
      counts.tokens += tokens;
    }
    const headers: Record<string, string> = {};
    for (const kind of ["requests", "tokens"] as const) {
      const resetMs = ((limits[kind] - levels[kind]) / limits[kind]) * 60_000;
      headers[`x-ratelimit-limit-${kind}`] = String(limits[kind]);
      headers[`x-ratelimit-remaining-${kind}`] = String(Math.floor(levels[kind]));
      headers[`x-ratelimit-reset-${kind}`] = `${Math.ceil(resetMs)}ms`;
    }
    if (!isRefused) return new Response("{}", { headers });
    const waitMs = Math.max(
      ((1 - levels.requests) / limits.requests) * 60_000,
      ((tokens - levels.tokens) / limits.tokens) * 60_000,
    );
    headers["retry-after-ms"] = String(Math.max(1, Math.ceil(waitMs)));
    return new Response("{}", { status: 429, headers });
  }

  /** What comes back in so many seconds from the beginning. */
  function quota(kind: "requests" | "tokens", seconds: number): number {
    return plan.reduce((sum, limits, i) => {
      const endS = Math.min(seconds, plan[i + 1]?.fromS ?? Infinity);
      return sum + (limits[kind] * (endS - limits.fromS)) / 60;
    }, 0);
  }

  return { ask, counts, quota };
}
