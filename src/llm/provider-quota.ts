/** The units that a provider limits by the minute: requests, all tokens, or those of the input and of the answer apart. */
const OF_MINUTE = ["requests", "tokens", "input", "output"] as const;

/** Those, and the units that it limits by the day. */
export const QUOTA_KINDS = [...OF_MINUTE, "requestsPerDay", "tokensPerDay"] as const;

/** A unit that a provider limits. */
export type QuotaKind = (typeof QUOTA_KINDS)[number];

/** One limit of a provider, as a response tells it. */
export interface Quota {
  readonly limit: number;
  /** Units that the provider says are left. */
  readonly remaining?: number | undefined;
}

/** The names of the header fields of a quota: its limit, what is left of it, and when it is whole again. */
type Fields = readonly [limit: string, remaining: string, reset: string];

const openAi = (kind: string): Fields => [
  `x-ratelimit-limit-${kind}`,
  `x-ratelimit-remaining-${kind}`,
  `x-ratelimit-reset-${kind}`,
];
const anthropic = (kind: string): Fields => [
  `anthropic-ratelimit-${kind}-limit`,
  `anthropic-ratelimit-${kind}-remaining`,
  `anthropic-ratelimit-${kind}-reset`,
];

/** OpenAI's names are those of Groq, Cerebras, xAI and others, too. */
const FIELDS: Readonly<Record<(typeof OF_MINUTE)[number], readonly Fields[]>> = {
  requests: [openAi("requests"), anthropic("requests")],
  tokens: [openAi("tokens")],
  input: [anthropic("input-tokens")],
  output: [anthropic("output-tokens")],
};

/** A quota that needs longer than this to be whole again is one of a day. */
const LONGEST_MINUTE_MS = 600_000;

/** The quotas that a response's header fields tell. The names are the same for a minute and a day, and the reset says which it is. */
export function quotasIn(headers: Headers, nowMs: number): Partial<Record<QuotaKind, Quota>> {
  const told = OF_MINUTE.flatMap((kind) =>
    FIELDS[kind].flatMap((fields) => quotaIn(headers, fields, kind, nowMs)),
  );
  return Object.fromEntries(told);
}

function quotaIn(
  headers: Headers,
  [of, left, reset]: Fields,
  kind: (typeof OF_MINUTE)[number],
  nowMs: number,
): readonly (readonly [QuotaKind, Quota])[] {
  const limit = countIn(headers.get(of));
  if (!limit) return [];
  const remaining = countIn(headers.get(left));
  const waitMs = waitIn(headers.get(reset), nowMs);
  const used = limit - (remaining ?? limit);
  const wholeMs = used > 0 && waitMs !== undefined ? (limit * waitMs) / used : 0;
  if (wholeMs <= LONGEST_MINUTE_MS) return [[kind, { limit, remaining }]];
  return kind === "requests" || kind === "tokens" ? [[`${kind}PerDay`, { limit, remaining }]] : [];
}

/** How long a response asks to wait, in milliseconds; `undefined` if it does not say it. */
export function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const ms = countIn(headers.get("retry-after-ms"));
  return ms ?? waitIn(headers.get("retry-after"), nowMs);
}

function countIn(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

const SPAN =
  /^(?:(\d+(?:\.\d+)?)d)?(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/;
const UNIT_MS = [86_400e3, 3600e3, 60e3, 1e3, 1];

/** The milliseconds until a time that is told as a date, in seconds, or with units such as `1m2.5s` and `12ms`. */
export function waitIn(text: string | null, nowMs: number): number | undefined {
  if (text === null) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1e3;
  const parts = text === "" ? undefined : SPAN.exec(text)?.slice(1);
  if (parts) return parts.reduce((sum, part = "0", i) => sum + Number(part) * UNIT_MS[i]!, 0);
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
