import type { Duration } from "../options/duration.ts";
import type { MadeBy } from "../options/option-value.ts";
import {
  defineAlgorithm,
  type ImplementationOf,
  madeOf,
  MAX_UNITS,
  type PolicyOf,
} from "./algorithm.ts";
import type { CalendarOptions } from "./calendar-options.ts";
import type {
  Denials,
  Failures,
  Labels,
  MarksOf,
  PolicyOptions,
  Refundable,
} from "./common-options.ts";
import { type CountedWindow, countIn, giveBackIn } from "./counted-window.ts";
import type { AlgorithmModel, RefundModel } from "./model.ts";
import { FIXED_WINDOW as script } from "./scripts.generated.ts";
import {
  lengthText,
  partOfWindow,
  WINDOW,
  type WindowData,
  type WindowNumbers,
  type WindowValues,
} from "./window.ts";

interface Alignment {
  /**
   * Whether windows lie on the grid of the clock, where `"1h"` begins with each full hour of UTC. With `false` a window
   * begins with its first request, so that a client of `limit: 100, window: "15m"` whose first request comes at 14:59 has
   * its whole limit again at 15:14. Default: `true`.
   */
  readonly aligned?: boolean;
}

/** A fixed window of a length, or one of a calendar: what `month()`, `week()`, `day()` or `hour()` returns. */
export type FixedWindowOptions<
  F extends Denials | Failures = Denials | Failures,
  R extends Refundable = Refundable,
> = Omit<WindowNumbers, "window"> & {
  /** Its length, or a window of a calendar: what `month()`, `week()`, `day()` or `hour()` returns. */
  readonly window: Duration | MadeBy<"month(), week(), day() or hour()">;
} & Alignment &
  PolicyOptions<F, R>;

export type FixedWindowPolicy = PolicyOf<
  "fixed-window",
  (WindowData & Alignment) | CalendarOptions
>;

/**
 * One count per window on a grid of the clock; a window of `"1d"` is a UTC day. The cheapest algorithm. Around a
 * boundary up to twice the limit passes: with `limit: 100, window: "1m"`, 100 requests at 11:59:59 and 100 more at
 * 12:00:00. With `aligned: false` each window begins with a client's first request after the window before it.
 *
 * A window may be one of a calendar, in any time zone: what `month()`, `week()`, `day()` or `hour()` returns.
 *
 * @example
 * fixedWindow({ limit: 1000, window: "1d" })
 * @example
 * fixedWindow({ limit: 1000, window: month({ timeZone: "Europe/Berlin", anchor: 15 }) })
 */
export function fixedWindow<
  F extends Denials | Failures = never,
  R extends Refundable = never,
  Name extends string = string,
  By extends string = never,
  Has extends string = never,
>(
  options: FixedWindowOptions<F, R> & Labels<Name, By, Has>,
): FixedWindowPolicy & MarksOf<F | R, Name, By, Has> {
  return madeOf(options, FIXED_WINDOW);
}

interface FixedWindowValues extends WindowValues {
  /** 1 if windows lie on the grid of the clock, 0 if they begin with a request. */
  readonly aligned: number;
}

interface FixedWindowParameters extends Readonly<Record<string, number>> {
  readonly windowUs: number;
  readonly aligned: number;
}

export const countFixedWindow: AlgorithmModel<FixedWindowParameters, CountedWindow> = (
  state,
  request,
) => {
  const { nowUs, parameters } = request;
  const { windowUs, aligned } = parameters;
  const { endsUs, used } = state ?? { endsUs: -Infinity, used: 0 };
  // Off the grid, the next window may have to follow this one.
  const windowTo = (ends: number, units: number): CountedWindow => ({
    endsUs: ends,
    used: units,
    keptUntilUs: aligned === 1 && ends % windowUs > 0 ? ends + windowUs : ends,
  });
  // The clock stepped back to before the window began: it begins now.
  const isAhead = endsUs > nowUs + windowUs;
  if (isAhead) {
    const moved = windowTo(nowUs + windowUs, used);
    return countIn(moved, moved, request);
  }
  if (nowUs < endsUs) return countIn(state!, state, request);
  if (aligned === 0) return countIn(windowTo(nowUs + windowUs, 0), state, request);
  // It follows the last one without a gap, or one more burst would fit in between where that was off the grid.
  const follows = nowUs < endsUs + windowUs;
  const ends = follows ? endsUs + windowUs : nowUs - (nowUs % windowUs) + windowUs;
  return countIn(windowTo(ends, 0), state, request);
};

/** Only in the window that took the units. */
export const refundFixedWindow: RefundModel<FixedWindowParameters, CountedWindow> = (
  state,
  { nowUs, takenAtUs, cost, parameters },
) => {
  const { endsUs } = state;
  const isInWindow = endsUs - parameters.windowUs <= takenAtUs && nowUs < endsUs;
  return giveBackIn(state, cost, isInWindow);
};

/** Bytes of the state in Redis. */
export const fixedWindowBytes = (): number => 14;

export const FIXED_WINDOW: ImplementationOf<FixedWindowPolicy> = /* @__PURE__ */ defineAlgorithm<
  FixedWindowPolicy,
  FixedWindowValues,
  FixedWindowParameters
>({
  name: "fixed-window",
  code: "f",
  layout: 3,
  maxLimit: MAX_UNITS,
  options: { window: WINDOW, aligned: { kind: "boolean", default: true } },
  nameParts: ({ window, aligned }) => (aligned === false ? [window, "unaligned"] : [window]),

  quotaOf: (limit, { window: windowUs, aligned }) => ({
    limit,
    windowUs,
    parameters: { windowUs, aligned },
  }),
  parameters: ["windowUs", "aligned"],
  meaning: ({ windowUs, parameters: { aligned } }) => [
    lengthText(windowUs) + (aligned === 1 ? "" : "+"),
  ],

  // As it is: leased units expire with the window in which they were taken.
  lease: { tighten: (quota) => quota, maxUs: () => Infinity, endsWithWindow: true },
  partOf: partOfWindow,
  script,
});
