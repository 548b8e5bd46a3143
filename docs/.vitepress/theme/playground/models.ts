import type { CalendarUnit } from "../../../../src/algorithms/calendar-units.ts";
import {
  concurrency,
  day,
  type Duration,
  fixedWindow,
  hour,
  month,
  type Policy,
  segmentedWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
  week,
} from "../../../../src/index.ts";

/** The settings of a reader. Lengths are seconds. */
export interface Settings {
  readonly limit: number;
  readonly window: number;
  /** Of a token bucket: units that come back in a window. */
  readonly refill: number;
  readonly segments: number;
  /** Of concurrency: how long a request keeps its slot. */
  readonly work: number;
  /** Of windows of a calendar. */
  readonly unit: CalendarUnit;
  readonly timeZone: string;
}

export interface Model {
  readonly id: string;
  readonly name: string;
  /** The meaning of its window's length. */
  readonly windowLabel: string;
  /** Whether its windows are those of a calendar, in place of a length. */
  readonly calendar?: true;
  /** The setting that it alone has. */
  readonly own?: { readonly key: "refill" | "segments" | "work"; readonly label: string };
  readonly policy: (settings: Settings) => Policy;
  /** The same as a reader writes it. */
  readonly code: (settings: Settings) => string;
}

const UNITS = { month, week, day, hour };

const windowLabel = "Window, seconds";
/** In the largest whole unit. */
function length(seconds: number): Duration {
  const unit = [
    ["d", 86_400],
    ["h", 3_600],
    ["m", 60],
    ["s", 1],
  ].find(([, each]) => seconds > 0 && seconds % Number(each) === 0);
  return (
    unit ? `${seconds / Number(unit[1])}${unit[0]}` : `${Math.round(seconds * 1000)}ms`
  ) as Duration;
}

const windowCode = ({ limit, window }: Settings) =>
  `limit: ${numberText(limit)}, window: "${length(window)}"`;

/** As people write it: 1_000_000. */
const numberText = (number: number) => String(number).replaceAll(/\B(?=(\d{3})+$)/g, "_");

export const MODELS: readonly Model[] = [
  {
    id: "token-bucket",
    name: "Token bucket",
    windowLabel: "Refill time, seconds",
    own: { key: "refill", label: "Refilled in that time" },
    policy: ({ limit, window, refill }) => tokenBucket({ limit, refill, per: length(window) }),
    code: ({ limit, window, refill }) =>
      `tokenBucket({ name: "api", limit: ${numberText(limit)}, refill: ${numberText(refill)}, per: "${length(window)}" })`,
  },
  {
    id: "sliding-window-log",
    name: "Sliding window log",
    windowLabel,
    policy: ({ limit, window }) => slidingWindowLog({ limit, window: length(window) }),
    code: (settings) => `slidingWindowLog({ name: "api", ${windowCode(settings)} })`,
  },
  {
    id: "segmented-window",
    name: "Segmented window",
    windowLabel,
    own: { key: "segments", label: "Segments" },
    policy: ({ limit, window, segments }) =>
      segmentedWindow({ limit, window: length(window), segments }),
    code: (settings) =>
      `segmentedWindow({ name: "api", ${windowCode(settings)}, segments: ${settings.segments} })`,
  },
  {
    id: "sliding-window-counter",
    name: "Sliding window counter",
    windowLabel,
    policy: ({ limit, window }) => slidingWindowCounter({ limit, window: length(window) }),
    code: (settings) => `slidingWindowCounter({ name: "api", ${windowCode(settings)} })`,
  },
  {
    id: "fixed-window",
    name: "Fixed window",
    windowLabel,
    policy: ({ limit, window }) => fixedWindow({ limit, window: length(window) }),
    code: (settings) => `fixedWindow({ name: "api", ${windowCode(settings)} })`,
  },
  {
    id: "unaligned",
    name: "Fixed window from the first request",
    windowLabel,
    policy: ({ limit, window }) => fixedWindow({ limit, window: length(window), aligned: false }),
    code: (settings) => `fixedWindow({ name: "api", ${windowCode(settings)}, aligned: false })`,
  },
  {
    id: "calendar",
    name: "Fixed window of a calendar",
    windowLabel: "Window",
    calendar: true,
    policy: ({ limit, unit, timeZone }) =>
      fixedWindow({ limit, window: UNITS[unit]({ timeZone }) }),
    code: ({ limit, unit, timeZone }) =>
      `fixedWindow({ name: "api", limit: ${numberText(limit)}, window: ${unit}({ timeZone: "${timeZone}" }) })`,
  },
  {
    id: "concurrency",
    name: "Concurrency",
    windowLabel: "Longest hold, seconds",
    own: { key: "work", label: "A request takes, seconds" },
    policy: ({ limit, window }) => concurrency({ limit, ttl: length(window) }),
    code: ({ limit, window }) =>
      `concurrency({ name: "api", limit: ${numberText(limit)}, ttl: "${length(window)}" })`,
  },
];
