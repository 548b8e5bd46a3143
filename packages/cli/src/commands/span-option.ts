import { parseDuration } from "../../../../src/options/duration.ts";
import { UsageError } from "../errors.ts";

/** How far back a command looks. Clients are kept for a day. */
export const LAST = ["--last <duration>", "how far back: 1m to 24h (default: 1h)"] as const;

export interface SpanOptions {
  readonly last?: string;
}

/** The parameter of a query that says how far back; the gateway knows the time better than this machine. */
export function spanQuery({ last }: SpanOptions): string | undefined {
  if (last === undefined) return undefined;
  const us = parseDuration(last);
  if (us !== undefined && us >= 60e6 && us <= 86_400e6) {
    return `last=${encodeURIComponent(last)}`;
  }
  throw new UsageError(`--last takes a time from 1m to 24h, such as 6h, not "${last}".`);
}
