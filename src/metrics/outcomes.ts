/**
 * The outcomes of requests, and their reasons. The position of each is its code in Redis, which has earlier counts: new ones
 * come at the end.
 */
export const OUTCOMES = [
  { outcome: "allowed", reason: "allowed" },
  { outcome: "allowed", reason: "store-unavailable" },
  { outcome: "denied", reason: "limited" },
  { outcome: "denied", reason: "cached-denial" },
  { outcome: "denied", reason: "cost-exceeds-limit" },
  { outcome: "denied", reason: "store-unavailable" },
  { outcome: "exempt", reason: "list" },
  { outcome: "blocked", reason: "list" },
  { outcome: "refused", reason: "path" },
  { outcome: "refused", reason: "identity" },
  { outcome: "refused", reason: "not-found" },
  { outcome: "refused", reason: "error" },
  { outcome: "passed", reason: "no-rule" },
  { outcome: "allowed", reason: "store-unavailable-open" },
  { outcome: "allowed", reason: "optimistic" },
  { outcome: "passed", reason: "preflight" },
  { outcome: "denied", reason: "region-denial" },
] as const;

/** The position of an outcome. */
export const ALLOWED = 0;
export const ALLOWED_WITHOUT_STORE = 1;
export const LIMITED = 2;
export const KNOWN_DENIAL = 3;
export const ABOVE_LIMIT = 4;
export const DENIED_WITHOUT_STORE = 5;
export const EXEMPT = 6;
export const BLOCKED = 7;
export const BAD_PATH = 8;
export const NO_IDENTITY = 9;
export const NOT_FOUND = 10;
export const FAILED = 11;
export const NO_RULE = 12;
/** No store counted it, because all its policies fail open. */
export const ALLOWED_OPEN = 13;
/** The isolate decided, and the store counts it afterwards. */
export const ALLOWED_AHEAD = 14;
/** The gateway answered what a browser asks before it sends a request. */
export const PREFLIGHT = 15;
/** A regional store denied, by an earlier answer of its home. */
export const DENIED_IN_REGION = 16;

/** As policies name it; their positions are codes, too. */
export const MODES = ["enforce", "shadow", "soft"] as const;
export const RESULTS = ["allowed", "denied"] as const;

/** Upper bounds of the remaining units of a policy; the last one is the maximum. */
export const UTILIZATION_BOUNDS = [0.25, 0.5, 0.75, 1] as const;

/** Upper bounds in milliseconds; one more bucket counts longer times. */
export const DURATION_BOUNDS_MS = [1, 2, 5, 10, 25, 50, 100, 250, 1000] as const;

/** How an origin fails to answer; the position of each is its code in Redis, too. */
export const ORIGIN_FAILURES = ["unreachable", "timeout"] as const;

/** The clients that have a version that is tried, and all others; their positions are codes in Redis, too. */
export const TRIAL_SIDES = ["tried", "others"] as const;

/** The kinds of notices, and their outcomes; their positions are codes in Redis, too. */
export const NOTICE_KINDS = ["reached", "denied"] as const;
export const NOTICE_RESULTS = ["told", "failed"] as const;

/** Errors of a store by their codes, without `ERR_STORE_`. */
export const STORE_ERRORS = [
  "TIMEOUT",
  "UNREACHABLE",
  "UNAUTHORIZED",
  "REFUSED",
  "REPLY",
  "SUSPENDED",
] as const;
