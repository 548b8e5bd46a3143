import type { AnalyticsDataset } from "../../metrics/analytics.ts";
import { createDenialLog, type DenialLog } from "../../metrics/denial-log.ts";
import type { OpenRecorder } from "../../metrics/metrics.ts";
import type { Recorder } from "../../metrics/recorder.ts";
import { type Duration, parseDuration } from "../../options/duration.ts";
import type { Faults } from "../../options/faults.ts";
import type { Environment } from "../../runtime/environment.ts";
import { logLine, report } from "../../runtime/log.ts";
import { monotonicNow } from "../../runtime/time.ts";
import type { CountsPlace } from "../../store/counts-place.ts";
import { METRICS_IN_MEMORY, NO_METRICS } from "../rules/variable-messages.ts";
import { hasTokens, type Tokens } from "./tokens.ts";
import type { Variables } from "./variables.ts";

/** Few writes, and few requests that are lost with an isolate. */
const DEFAULT_FLUSH: Duration = "1m";

/** The place of the counts, and their readers. */
interface RecorderParts {
  /** Only in deployments that bring it. */
  readonly create: OpenRecorder | undefined;
  readonly place: CountsPlace | undefined;
  readonly timeoutMs: number;
  readonly tokens: Tokens;
  readonly analytics: AnalyticsDataset | undefined;
}

/** The dataset of Workers Analytics Engine that is bound as `ANALYTICS`; another program's variable of that name is ignored. */
export function analyticsIn({ ANALYTICS: bound }: Environment): AnalyticsDataset | undefined {
  const { writeDataPoint } = Object(bound) as Partial<AnalyticsDataset>;
  return typeof writeDataPoint === "function" ? (bound as AnalyticsDataset) : undefined;
}

/** Opens the metrics; `undefined` if they are off. A deployment without readers of the counts does not pay for them. */
export function openRecorder(
  { metrics, metricsFlush, metricsIdentities, prefix, store }: Variables,
  { create, place, timeoutMs, tokens, analytics }: RecorderParts,
  faults: Faults,
): Recorder | undefined {
  const hasReaders = hasTokens(tokens);
  if (metrics === "on" && store === "memory") {
    faults.add("METRICS", "on", METRICS_IN_MEMORY);
  } else if (metrics === "on" && create === undefined) {
    faults.add("METRICS", "on", NO_METRICS);
  }
  const isOn = metrics === undefined ? hasReaders : metrics === "on";
  if (!isOn || place === undefined) return undefined;
  return create?.({
    place,
    prefix,
    timeoutMs,
    flushMs: parseDuration(metricsFlush ?? DEFAULT_FLUSH)! / 1000,
    identities: metricsIdentities,
    now: monotonicNow,
    wallNow: () => Date.now(),
    random: () => Math.random(),
    analytics,
    onError: ({ message }) => report(`the metrics were not written: ${message}`),
  });
}

/** Opens the log of denied clients; `undefined` if it is off. */
export function openDenialLog({ denialLog, metricsIdentities }: Variables): DenialLog | undefined {
  if (denialLog === "off") return undefined;
  return createDenialLog({
    identities: metricsIdentities,
    wallNow: () => Date.now(),
    write: logLine,
  });
}
