import { isRecord } from "../options/record.ts";
import { TIMED_OUT, withTimeout } from "../runtime/time.ts";
import { type Quota, type QuotaKind, retryAfterMs, waitIn } from "./provider-quota.ts";

/** What a provider says when it refuses a request. */
export interface Refusal {
  /** How long it asks to wait; `undefined` if it does not say it. */
  readonly waitMs: number | undefined;
  /** The limits that it names. */
  readonly quotas: Readonly<Partial<Record<QuotaKind, Quota>>>;
}

/** The longest that a pacer waits for the body of a refusal, which may never end. */
const READ_MS = 1_000;

/** What is used up for the day, or for good, is asked for again after this time. */
const LONG_PAUSE_MS = 3_600_000;

/** Codes of accounts without money, at OpenAI and those like it. */
const SPENT = ["insufficient_quota", "exceeded_current_quota_error", "billing_hard_limit_reached"];

/** Reads the header fields of a refusal and, from a copy, what Google's and OpenAI's errors say besides. */
export async function readRefusal(response: Response, nowMs: number): Promise<Refusal> {
  const { error } = await bodyOf(response);
  const { code, type, details } = isRecord(error) ? error : {};
  const parts = Array.isArray(details) ? details.filter(isRecord) : [];
  const violations = parts.flatMap(({ violations: each }) => (Array.isArray(each) ? each : []));
  const named = violations.filter(isRecord).map(({ quotaId, quotaValue }) => {
    const id = String(quotaId);
    return { kind: kindOf(id), limit: Number(quotaValue), isOfDay: id.includes("PerDay") };
  });
  const isLong = named.some(({ isOfDay }) => isOfDay) || [code, type].some(isSpent);
  const waits = [
    retryAfterMs(response.headers, nowMs),
    ...parts.map(({ retryDelay }) =>
      typeof retryDelay === "string" ? waitIn(retryDelay, nowMs) : undefined,
    ),
    isLong ? LONG_PAUSE_MS : undefined,
  ].filter((each) => each !== undefined);
  const quotas = named.flatMap(({ kind, limit }) =>
    kind && limit > 0 ? [[kind, { limit }] as const] : [],
  );
  return {
    waitMs: waits.length > 0 ? Math.max(...waits) : undefined,
    quotas: Object.fromEntries(quotas),
  };
}

/** The unit of a limit of Google's, such as `GenerateRequestsPerDayPerProjectPerModel-FreeTier`. */
function kindOf(quotaId: string): QuotaKind | undefined {
  const [unit, span] = [
    /Requests|InputToken/.exec(quotaId)?.[0],
    /Per(?:Day|Minute)/.exec(quotaId)?.[0],
  ];
  if (unit === "Requests") return span === "PerDay" ? "requestsPerDay" : "requests";
  return unit && span === "PerMinute" ? "input" : undefined;
}

const isSpent = (word: unknown) => SPENT.includes(String(word));

/** The body as JSON, without the caller's copy; an empty one if it is none. */
async function bodyOf(response: Response): Promise<Readonly<Record<string, unknown>>> {
  if (!/json/i.test(response.headers.get("content-type") ?? "")) return {};
  try {
    const body: unknown = await withTimeout(READ_MS, () => response.clone().json());
    const first: unknown = Array.isArray(body) ? body[0] : body;
    return body !== TIMED_OUT && isRecord(first) ? first : {};
  } catch {
    return {};
  }
}
