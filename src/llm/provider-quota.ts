/** The units that a provider limits: requests, all tokens, or those of the input and of the answer apart. */
export const QUOTA_KINDS = ["requests", "tokens", "input", "output"] as const;
/** A unit that a provider limits by the minute. */
export type QuotaKind = (typeof QUOTA_KINDS)[number];

/** One limit of a provider for each minute, as a response tells it. */
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
const FIELDS: Readonly<Record<QuotaKind, readonly Fields[]>> = {
  requests: [openAi("requests"), anthropic("requests")],
  tokens: [openAi("tokens")],
  input: [anthropic("input-tokens")],
  output: [anthropic("output-tokens")],
};

/** A quota that needs longer than this to be whole again is no quota of a minute. */
const LONGEST_MINUTE_MS = 600_000;

/** The quotas of a minute that a response's header fields tell. */
export function quotasIn(headers: Headers, nowMs: number): Partial<Record<QuotaKind, Quota>> {
  const told = QUOTA_KINDS.flatMap((kind) => {
    const quota = FIELDS[kind].map((fields) => quotaIn(headers, fields, nowMs)).find(Boolean);
    return quota ? [[kind, quota] as const] : [];
  });
  return Object.fromEntries(told);
}

function quotaIn(headers: Headers, [of, left, reset]: Fields, nowMs: number): Quota | undefined {
  const limit = countIn(headers.get(of));
  if (!limit) return undefined;
  const remaining = countIn(headers.get(left));
  const waitMs = waitIn(headers.get(reset), nowMs);
  const used = limit - (remaining ?? limit);
  const wholeMs = used > 0 && waitMs !== undefined ? (limit * waitMs) / used : 0;
  return wholeMs > LONGEST_MINUTE_MS ? undefined : { limit, remaining };
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
function waitIn(text: string | null, nowMs: number): number | undefined {
  if (text === null) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1e3;
  const parts = text === "" ? undefined : SPAN.exec(text)?.slice(1);
  if (parts) return parts.reduce((sum, part = "0", i) => sum + Number(part) * UNIT_MS[i]!, 0);
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
