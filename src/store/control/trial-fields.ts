import { recordIn } from "./records.ts";
import type { Trial } from "./trial.ts";
import { MAX_VERSION, wholeUpTo } from "./versions.ts";

/** The trial that Redis has; `undefined` without one. A version whose terms Tidegate did not write has no clients. */
export function trialIn(versionText: unknown, termsText: unknown): Trial | undefined {
  const version = wholeUpTo(MAX_VERSION, versionText);
  if (version === 0) return undefined;
  const { publishedAt, percent, maxDenied } = Object(recordIn(termsText)) as Record<
    string,
    unknown
  >;
  return {
    version,
    publishedAtMs: wholeUpTo(Number.MAX_SAFE_INTEGER, publishedAt),
    percent: wholeUpTo(99, percent),
    ...(typeof maxDenied === "number" && { maxDenied }),
  };
}

/** The terms of a trial as Redis has them. */
export function termsTextOf({ publishedAtMs: publishedAt, percent, maxDenied }: Trial): string {
  return JSON.stringify({ publishedAt, percent, maxDenied });
}
