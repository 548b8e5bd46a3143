import { fixedWindow } from "../../algorithms/fixed-window.ts";
import { slidingWindowCounter } from "../../algorithms/sliding-window-counter.ts";
import { tokenBucket } from "../../algorithms/token-bucket.ts";
import type { Duration as OwnDuration } from "../../options/duration.ts";
import type { Policy } from "../../policy/policy.ts";

type Unit = "ms" | "s" | "m" | "h" | "d" | "w";

/** A time with its unit, such as `"10 s"` or `"1.5h"`; a week is `"1w"`. */
export type Duration = `${number} ${Unit}` | `${number}${Unit}`;

/** How a `Ratelimit` counts. Its static methods make one. */
export interface Algorithm<_Context = unknown> {
  readonly tokens: number;
  readonly windowMs: number;
  /** Whether the window lies on the grid of the clock, so that its end is known without a count. */
  readonly onGrid: boolean;
  /** The policy with another number of tokens. */
  policy(tokens: number): Policy;
}

const MILLISECONDS: Record<Unit, number> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** A number, as Redis reads it from the scripts of the package: a text of a whole number is that. */
export function wholeOf(number: number): number {
  const isText = typeof number === "string" && /^-?\d+$/.test(number);
  return isText ? Number(number) : number;
}

/** The milliseconds of a duration, rounded. @throws Error if the text is not a duration, or is shorter than one millisecond */
function millisecondsOf(duration: Duration): number {
  const match = /^(\d+(?:\.\d+)?)\s?(ms|s|m|h|d|w)$/.exec(duration);
  const milliseconds = match ? Math.round(Number(match[1]) * MILLISECONDS[match[2] as Unit]) : 0;
  if (milliseconds >= 1) return milliseconds;
  throw new Error(`Unable to parse window size: ${duration}`);
}

/** Counts of one window are kept when the number of tokens changes, and apart from those of another window. */
const optionsOf = (windowMs: number, limit: number) => ({
  name: `w${windowMs}`,
  limit,
  window: `${windowMs}ms` as OwnDuration,
});

export function fixed(tokens: number, window: Duration): Algorithm {
  const windowMs = millisecondsOf(window);
  const policy = (limit: number) => fixedWindow(optionsOf(windowMs, limit));
  return { tokens: wholeOf(tokens), windowMs, onGrid: true, policy };
}

/** Answers before Redis has counted, and counts afterwards: at most one token of an identifier ahead of Redis. */
export function cached(tokens: number, window: Duration): Algorithm {
  const { policy, ...same } = fixed(tokens, window);
  return { ...same, policy: (limit) => ({ ...policy(limit), optimistic: true }) };
}

export function sliding(tokens: number, window: Duration): Algorithm {
  const windowMs = millisecondsOf(window);
  const policy = (limit: number) => slidingWindowCounter(optionsOf(windowMs, limit));
  return { tokens: wholeOf(tokens), windowMs, onGrid: false, policy };
}

export function bucket(refillRate: number, interval: Duration, maxTokens: number): Algorithm {
  const intervalMs = millisecondsOf(interval);
  const per = `${intervalMs}ms` as OwnDuration;
  const [refill, tokens] = [wholeOf(refillRate), wholeOf(maxTokens)];
  return {
    tokens,
    windowMs: Math.ceil((intervalMs * tokens) / refill),
    onGrid: false,
    policy: (limit) => tokenBucket({ name: `b${intervalMs}`, limit, refill, per }),
  };
}
