import type { Administered } from "../../gateway/administered.ts";
import { parseMoment } from "../../lists/moment.ts";
import { HOUR_MS, MINUTE_MS, TOP_KINDS } from "../../metrics/keys.ts";
import { CONTENT_TYPE, openMetricsOf } from "../../metrics/open-metrics.ts";
import { metricsReader, type MetricsReader, type Span } from "../../metrics/reader.ts";
import { type Call, isoTime, json, type Route } from "../call.ts";
import { Refusal } from "../refusal.ts";
import { whatIfRoute } from "./what-if.ts";

/** Minutes are kept for a day, and hours for a month. */
const STEPS = {
  minute: { ms: MINUTE_MS, most: 1_440, usual: 60 },
  hour: { ms: HOUR_MS, most: 744, usual: 24 },
};

/** Partitions that an answer names. */
const MOST_PARTITIONS = 100;

/** What was counted, for Prometheus and for people. */
export function metricsRoutes(gateway: Administered): readonly Route[] {
  const { redis, prefix, flushMetrics } = gateway;
  const reader = redis && metricsReader(redis, prefix);

  /** What this isolate has counted is part of the answer. */
  async function upToDate(): Promise<MetricsReader> {
    if (!reader || !flushMetrics) {
      throw new Refusal(501, "Metrics are off: they need a Redis, and METRICS must not be off.");
    }
    await flushMetrics();
    return reader;
  }

  async function scrape({ gateway }: Call): Promise<Response> {
    const counts = await upToDate();
    const [total, gauges] = await Promise.all([counts.total(), gateway.gauges()]);
    return new Response(openMetricsOf(total, gauges), {
      headers: { "Content-Type": CONTENT_TYPE, "Cache-Control": "no-store" },
    });
  }

  async function stats({ query }: Call): Promise<Response> {
    const step = oneOf(query, "step", ["minute", "hour"] as const);
    const span = spanOf(query, STEPS[step]);
    const { times, ...series } = await (await upToDate()).stats(step, span);
    return json({ step, ...shown(span), times: times.map(isoTime), ...series });
  }

  async function top({ query }: Call): Promise<Response> {
    const kind = oneOf(query, "kind", TOP_KINDS);
    const span = spanOf(query, STEPS.minute);
    const partitions = await (await upToDate()).top(kind, span, MOST_PARTITIONS);
    return json({ kind, ...shown(span), partitions });
  }

  return [
    { method: "GET", path: "/metrics", writes: false, answer: scrape },
    { method: "GET", path: "/stats", writes: false, query: ["from", "to", "step"], answer: stats },
    { method: "GET", path: "/top", writes: false, query: ["kind", "from", "to"], answer: top },
    whatIfRoute(gateway, upToDate),
  ];
}

/** A word of the query; the first one if there is none. */
function oneOf<Word extends string>(
  query: URLSearchParams,
  name: string,
  words: readonly [Word, ...Word[]],
): Word {
  const given = query.get(name) ?? words[0];
  const word = words.find((each) => each === given);
  if (word) return word;
  throw new Refusal(400, `Give ${name} as ${words.join(" or ")}.`);
}

function spanOf(query: URLSearchParams, { ms, most, usual }: (typeof STEPS)["minute"]): Span {
  const toMs = momentOf(query, "to") ?? Date.now();
  const fromMs = momentOf(query, "from") ?? toMs - usual * ms;
  if (fromMs < toMs && toMs - fromMs <= most * ms) return { fromMs, toMs };
  throw new Refusal(400, `Give a from before to, at most ${most} steps apart.`);
}

function momentOf(query: URLSearchParams, name: string): number | undefined {
  const given = query.get(name);
  if (given === null) return undefined;
  const moment = parseMoment(/^\d+$/.test(given) ? Number(given) : given);
  if (moment !== undefined) return moment;
  throw new Refusal(
    400,
    `Give ${name} as a moment with its time zone, such as 2030-01-31T12:00:00Z, or as milliseconds since 1970.`,
  );
}

function shown({ fromMs, toMs }: Span): object {
  return { from: isoTime(fromMs), to: isoTime(toMs) };
}
