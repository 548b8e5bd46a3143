import type { Span } from "../../metrics/reader.ts";
import { parseDuration } from "../../options/duration.ts";
import { parseMoment } from "../../options/moment.ts";
import { HOUR_MS, MINUTE_MS } from "../../store/metrics-store.ts";
import { isoTime } from "../call.ts";
import { Refusal } from "../refusal.ts";

/** The parameters of a query that say a span. */
export const SPAN = ["from", "to", "last"];

/** Minutes are kept for a day, and hours for a month. */
export const STEPS = {
  minute: { ms: MINUTE_MS, most: 1_440, usual: 60 },
  hour: { ms: HOUR_MS, most: 744, usual: 24 },
};

/** A word of the query; the first one if there is none. */
export function oneOf<Word extends string>(
  query: URLSearchParams,
  name: string,
  words: readonly [Word, ...Word[]],
): Word {
  const text = query.get(name) ?? words[0];
  const word = words.find((each) => each === text);
  if (word) return word;
  throw new Refusal(400, `Give ${name} as ${words.join(" or ")}.`);
}

/** The span of time that a query asks for, up to now by default. */
export function spanOf(
  query: URLSearchParams,
  { ms, most, usual }: (typeof STEPS)["minute"],
): Span {
  const toMs = momentOf(query, "to") ?? Date.now();
  const [from, last] = [momentOf(query, "from"), lastMsOf(query)];
  if (from !== undefined && last !== undefined)
    throw new Refusal(400, "Give from or last, not both.");
  const fromMs = from ?? toMs - (last ?? usual * ms);
  if (fromMs < toMs && toMs - fromMs <= most * ms) return { fromMs, toMs };
  throw new Refusal(400, `Give a from before to, at most ${most} steps apart.`);
}

function momentOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const moment = parseMoment(/^\d+$/.test(text) ? Number(text) : text);
  if (moment !== undefined) return moment;
  throw new Refusal(
    400,
    `Give ${name} as a moment with its time zone, such as 2030-01-31T12:00:00Z, or as milliseconds since 1970.`,
  );
}

/** How long a span is, where that is said instead of its beginning. */
function lastMsOf(query: URLSearchParams): number | undefined {
  const text = query.get("last");
  if (text === null) return undefined;
  const us = parseDuration(text);
  if (us !== undefined && us > 0) return us / 1000;
  throw new Refusal(400, "Give last as a time with its unit, such as 90m or 6h.");
}

/** A span as answers have it. */
export function shown({ fromMs, toMs }: Span): Readonly<Record<"from" | "to", string>> {
  return { from: isoTime(fromMs), to: isoTime(toMs) };
}
