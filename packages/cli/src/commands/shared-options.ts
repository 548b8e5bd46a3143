import type { Command } from "commander";

import { parseDuration } from "../../../../src/options/duration.ts";
import { UsageError } from "../errors.ts";
import { escape } from "../output/escape.ts";

/** All values of an option that may be repeated, with this one. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** A header's name and value, by which a rule counts. */
export function isIdentity(text: string): boolean {
  return /^[^:\s]+:./.test(text);
}

/** The value of a policy's option: digits are a number, and the rest, such as `10s`, is a text. */
export function settingOf(text: string): number | string {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/** When an entry ends. */
export interface EndOptions {
  readonly for?: string;
  readonly until?: string;
}

export function withEnd(command: Command): Command {
  return command
    .option("--for <duration>", "how long: 30s, 10m, 1h or 7d (default: for ever)")
    .option("--until <moment>", "until when, with a time zone: 2027-01-01T00:00:00Z");
}

/** The end as the admin API takes it, which knows the time better than this machine. */
export function endOf({ for: duration, until }: EndOptions): object {
  if (duration !== undefined && until !== undefined) {
    throw new UsageError("Give --for or --until, not both.");
  }
  if (duration !== undefined && parseDuration(duration) === undefined) {
    throw new UsageError(`--for takes a time such as 30s, 10m, 1h or 7d, not "${duration}".`);
  }
  return {
    ...(duration !== undefined && { for: duration }),
    ...(until !== undefined && { until }),
  };
}

/** The end that the gateway has computed, after the sentence about the action. */
export function endText({ until }: { readonly until?: string | number | undefined }): string {
  return until === undefined ? "" : ` until ${escape(String(until))}`;
}

/** A source, and 22 or 43 characters that may be the digest by which `top` names a client. */
const LIKE_DIGEST = /(?:^#|(?:^|,)[^,\s]*:)(?:[\w-]{22}|[\w-]{43})(?=,|$)/;

/** How a command says whether a text is a client's name, as `top` prints it, or the value itself. */
export interface NameOptions {
  readonly digest?: true;
  readonly value?: true;
}

export function withName(command: Command): Command {
  return command
    .option("--digest", "the client is named as `tidegate top` names it")
    .option("--value", "the client is named by the value itself, though that looks like a digest");
}

/**
 * Whether the client is named by its digest.
 *
 * @throws UsageError where the text may be either: an entry for the wrong one would have no effect, and not say so
 */
export function isDigest(text: string, { digest, value }: NameOptions): boolean {
  if (digest && value) throw new UsageError("Give --digest or --value, not both.");
  if (!digest && !value && LIKE_DIGEST.test(text)) {
    throw new UsageError(
      `"${text}" may be a client's name as \`tidegate top\` prints it, or the value itself: add --digest or --value.`,
    );
  }
  return digest === true;
}

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
