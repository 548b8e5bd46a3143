import type { CalendarUnit } from "../../../../src/algorithms/calendar-units.ts";
import {
  concurrency,
  day,
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
}

const UNITS = { month, week, day, hour };

const windowLabel = "Window, seconds";
const ms = (seconds: number) => `${Math.round(seconds * 1000)}ms` as const;

export const MODELS: readonly Model[] = [
  {
    id: "token-bucket",
    name: "Token bucket",
    windowLabel: "Refill time, seconds",
    own: { key: "refill", label: "Refilled in that time" },
    policy: ({ limit, window, refill }) => tokenBucket({ limit, refill, per: ms(window) }),
  },
  {
    id: "sliding-window-log",
    name: "Sliding window log",
    windowLabel,
    policy: ({ limit, window }) => slidingWindowLog({ limit, window: ms(window) }),
  },
  {
    id: "segmented-window",
    name: "Segmented window",
    windowLabel,
    own: { key: "segments", label: "Segments" },
    policy: ({ limit, window, segments }) =>
      segmentedWindow({ limit, window: ms(window), segments }),
  },
  {
    id: "sliding-window-counter",
    name: "Sliding window counter",
    windowLabel,
    policy: ({ limit, window }) => slidingWindowCounter({ limit, window: ms(window) }),
  },
  {
    id: "fixed-window",
    name: "Fixed window",
    windowLabel,
    policy: ({ limit, window }) => fixedWindow({ limit, window: ms(window) }),
  },
  {
    id: "unaligned",
    name: "Fixed window from the first request",
    windowLabel,
    policy: ({ limit, window }) => fixedWindow({ limit, window: ms(window), aligned: false }),
  },
  {
    id: "calendar",
    name: "Fixed window of a calendar",
    windowLabel: "Window",
    calendar: true,
    policy: ({ limit, unit, timeZone }) =>
      fixedWindow({ limit, window: UNITS[unit]({ timeZone }) }),
  },
  {
    id: "concurrency",
    name: "Concurrency",
    windowLabel: "Longest hold, seconds",
    own: { key: "work", label: "A request takes, seconds" },
    policy: ({ limit, window }) => concurrency({ limit, ttl: ms(window) }),
  },
];
