import { CONTENT_TYPE, openMetricsOf } from "../../metrics/open-metrics.ts";
import { TOP_KINDS } from "../../store/metrics-store.ts";
import type { Administered } from "../administered.ts";
import { type AdminRoute, type Call, isoTime, json } from "../call.ts";
import type { Stats, Top } from "../metrics-answers.ts";
import { Refusal } from "../refusal.ts";
import { countsOf, type UpToDate } from "./counts.ts";
import { partitionHistoryRoute } from "./partition-history.ts";
import { oneOf, shown, SPAN, spanOf, STEPS } from "./span.ts";

/** Partitions that an answer names. */
const MOST_PARTITIONS = 100;

/** The counts, for Prometheus and for people. */
export function metricsRoutes(gateway: Administered): readonly AdminRoute[] {
  const upToDate: UpToDate =
    countsOf(gateway) ??
    (async () => {
      throw new Refusal(
        501,
        "Metrics are off: they need a Redis or Durable Objects, and METRICS must not be off.",
      );
    });

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
    const counts = await upToDate();
    const [{ times, ahead, ...series }, gauges] = await Promise.all([
      counts.stats(step, span),
      gateway.gauges(),
    ]);
    const idle = gauges.ahead.filter((name) => !ahead.some(({ policy }) => policy === name));
    // Other isolates may not have written their latest counts yet.
    const completeTo = isoTime(Date.now() - gateway.metrics!.flushMs);
    return json({
      step,
      ...shown(span),
      completeTo,
      times: times.map(isoTime),
      ...series,
      // Those that saved nothing are what somebody looks for.
      ahead: [...ahead, ...idle.map((policy) => ({ policy, counts: times.map(() => 0) }))],
    } satisfies Stats);
  }

  async function top({ query }: Call): Promise<Response> {
    const kind = oneOf(query, "kind", TOP_KINDS);
    const span = spanOf(query, STEPS.minute);
    const partitions = await (await upToDate()).top(kind, span, MOST_PARTITIONS);
    return json({ kind, ...shown(span), partitions } satisfies Top);
  }

  return [
    { method: "GET", path: "/metrics", writes: false, answer: scrape },
    { method: "GET", path: "/stats", writes: false, query: [...SPAN, "step"], answer: stats },
    { method: "GET", path: "/top", writes: false, query: ["kind", ...SPAN], answer: top },
    partitionHistoryRoute(gateway, upToDate),
  ];
}
