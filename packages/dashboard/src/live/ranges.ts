/** A span of time up to now. */
export interface TimeRange {
  readonly name: string;
  readonly title: string;
  readonly step: "minute" | "hour";
  readonly steps: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Spans above six hours are shown by the hour: each sixty minutes cost Redis a call. */
export const RANGES: readonly [TimeRange, ...TimeRange[]] = [
  { name: "1h", title: "1 hour", step: "minute", steps: 60 },
  { name: "6h", title: "6 hours", step: "minute", steps: 360 },
  { name: "24h", title: "24 hours", step: "hour", steps: 24 },
  { name: "7d", title: "7 days", step: "hour", steps: 168 },
  { name: "30d", title: "30 days", step: "hour", steps: 720 },
];

/** The most that partitions are kept for. */
const MAX_TOP_MS = 24 * HOUR_MS;

function spanOf(
  { step, steps }: TimeRange,
  nowMs: number,
): readonly [fromMs: number, toMs: number] {
  const stepMs = step === "minute" ? MINUTE_MS : HOUR_MS;
  return [(Math.floor(nowMs / stepMs) - steps + 1) * stepMs, nowMs];
}

export function statsPath(range: TimeRange, nowMs: number): string {
  const [fromMs, toMs] = spanOf(range, nowMs);
  return `/stats?step=${range.step}&from=${fromMs}&to=${toMs}`;
}

export function topPath(kind: "denied" | "near", range: TimeRange, nowMs: number): string {
  return `/top?kind=${kind}&${partitionSpan(range, nowMs)}`;
}

export function historyPath(range: TimeRange, nowMs: number): string {
  return `/partitions/history?${partitionSpan(range, nowMs)}`;
}

/** As much of a span as partitions are kept for. */
function partitionSpan(range: TimeRange, nowMs: number): string {
  const [fromMs, toMs] = spanOf(range, nowMs);
  return `from=${Math.max(fromMs, toMs - MAX_TOP_MS)}&to=${toMs}`;
}
