import { type Gauges, openMetricsOf } from "../../../src/metrics/open-metrics.ts";
import { snapshotOf } from "../../../src/metrics/snapshot.ts";
import { parseOpenMetrics } from "../parse-open-metrics.ts";

/** What a scrape finds in one minute. */
export interface Minute {
  /** What gateways count in it, by the fields of Redis. */
  readonly counts: Readonly<Record<string, number>>;
  readonly gauges?: Partial<Gauges>;
  /** Redis does not answer, so that the scrape gets a 503. */
  readonly isUnread?: boolean;
}

/** Each case lasts so many minutes, and its fault begins with the first of these minutes and ends before the second. */
export const MINUTES = 190;
export const [BEGINS, ENDS] = [60, 120];

export const RULE = "POST /rides/*";

/** 11 requests a second, of which one in eleven is denied; Redis is fast, and its clients are far below their limits. */
const QUIET: Minute["counts"] = {
  [`ra${RULE}`]: 600,
  [`rc${RULE}`]: 60,
  "raGET /b": 1,
  paarides: 600,
  uarides: 500,
  udrides: 160,
  sb: 640,
  sh: 4,
  c: 2_000,
  f: 4,
};

const HEALTHY: Gauges = {
  policies: [{ name: "rides", limit: 20, windowSeconds: 2 }],
  isBreakerOpen: false,
  isPublished: true,
  isRestored: false,
  ahead: [],
  version: 3,
};

/** The series that Prometheus keeps of a fault, as the gateway writes them, in the notation of promtool. */
export function seriesOf(fault: (minute: number) => Minute) {
  const total = new Map<string, number>();
  const series = new Map<string, string[]>();
  for (let minute = 0; minute < MINUTES; minute++) {
    const isFault = minute >= BEGINS && minute < ENDS;
    const { counts, gauges, isUnread } = isFault ? fault(minute) : { counts: {} };
    for (const [field, count] of Object.entries({ ...QUIET, ...counts })) {
      total.set(field, (total.get(field) ?? 0) + count);
    }
    const text = openMetricsOf(snapshotOf(total), { ...HEALTHY, ...gauges });
    const samples = isUnread ? new Map<string, number>() : parseOpenMetrics(text).samples;
    for (const [sample, value] of samples) {
      const values = series.get(sample) ?? Array.from<string>({ length: minute }).fill("_");
      series.set(sample, values);
      values.push(String(value));
    }
    for (const values of series.values()) {
      // A series ends with the first scrape that does not find it.
      if (values.length === minute) values.push(values.at(-1) === "_" ? "_" : "stale");
    }
  }
  return [...series].map(([name, values]) => ({ series: name, values: values.join(" ") }));
}
