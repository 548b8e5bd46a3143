import {
  defineAlgorithm,
  type ImplementationOf,
  IMPLEMENTATION,
  MAX_UNITS,
  type PolicyOf,
} from "./algorithm.ts";
import type { CalendarOptions } from "./calendar/options.ts";
import { type CountedWindow, countIn, giveBackIn } from "./counted-window.ts";
import type { AlgorithmModel, RefundModel } from "./model.ts";
import { FIXED_WINDOW as script } from "./scripts.generated.ts";
import { scaleWindow, WINDOW, type WindowOptions, type WindowValues } from "./window.ts";

export interface FixedWindowOptions extends WindowOptions {
  /**
   * Whether windows lie on the grid of the clock, where `"1h"` begins with each full hour of UTC. With `false` a window
   * begins with its first request, so that a client of `limit: 100, window: "15m"` whose first request comes at 14:59 has
   * its whole limit again at 15:14. Default: `true`.
   */
  readonly aligned?: boolean;
}

export type FixedWindowPolicy = PolicyOf<"fixed-window", FixedWindowOptions | CalendarOptions>;

/**
 * One count per window on a grid of the clock; a window of `"1d"` is a UTC day. The cheapest algorithm. Around a
 * boundary up to twice the limit passes: with `limit: 100, window: "1m"`, 100 requests at 11:59:59 and 100 more at
 * 12:00:00. With `aligned: false` each window begins with a client's first request after the window before it.
 *
 * A window may be one of a calendar: `"month"`, `"week"`, `"day"` or `"hour"`, in any time zone, for `createLimiter()`,
 * rules and middleware. With `tidegate/core` it needs the feature `calendar`.
 *
 * @example
 * fixedWindow({ limit: 1000, window: "1d" })
 * @example
 * fixedWindow({ limit: 1000, window: "month", timeZone: "Europe/Berlin", anchor: 15 })
 */
export function fixedWindow(options: FixedWindowOptions | CalendarOptions): FixedWindowPolicy {
  return { ...options, algorithm: "fixed-window", [IMPLEMENTATION]: FIXED_WINDOW };
}

interface FixedWindowValues extends WindowValues {
  /** 1 if windows lie on the grid of the clock, 0 if they begin with a request. */
  readonly aligned: number;
}

interface FixedWindowParameters extends Readonly<Record<string, number>> {
  readonly windowUs: number;
  /**
   * The window's length in steps of a tenth, so that the script notices a changed window: 0 for 1 ms, 253 for a year; and
   * `FROM_REQUEST` more if a window begins with its first request.
   */
  readonly setting: number;
}

/** From this setting on, windows begin with a request. */
const FROM_REQUEST = 256;

const NEVER_COUNTED: CountedWindow = { endsUs: -Infinity, setting: 0, used: 0, cut: false };

const model: AlgorithmModel<FixedWindowParameters, CountedWindow> = (state, request) => {
  const { nowUs, operation, parameters } = request;
  const { windowUs, setting } = parameters;
  const onGrid = setting < FROM_REQUEST;
  const boundary = nowUs - (onGrid ? nowUs % windowUs : 0) + windowUs;
  let { endsUs, setting: counted, used, cut } = state ?? NEVER_COUNTED;
  let kept = state;
  if (nowUs >= endsUs) {
    // A window off the grid is followed by another, or one more burst would fit in between.
    const follows = onGrid && nowUs - endsUs < windowUs && counted === setting;
    endsUs = follows ? endsUs + windowUs : boundary;
    counted = setting;
    used = 0;
    cut = false;
  } else if (onGrid && counted !== setting) {
    // The window was changed: the count moves to the window of the new grid, but not beyond the old one's end if that
    // was longer.
    const isExtended = counted < setting || counted >= FROM_REQUEST;
    endsUs = isExtended ? boundary : Math.min(endsUs, boundary);
    counted = setting;
    if (operation !== "peek") kept = { endsUs, setting, used, cut };
  } else if (endsUs - nowUs > windowUs) {
    // The clock stepped back to before the window began, or that was a longer one: the window begins now.
    endsUs = nowUs + windowUs;
    if (operation !== "peek" || counted === setting) kept = { endsUs, setting, used, cut };
    counted = setting;
  }

  return countIn({ endsUs, setting: counted, used, cut }, kept, request);
};

/** Only in the window that took the units, and from a count from which no charge was cut off. */
export const refundFixedWindow: RefundModel<FixedWindowParameters, CountedWindow> = (
  state,
  { nowUs, takenAtUs, cost, parameters },
) => {
  const { endsUs, setting } = state;
  const inWindow = endsUs - parameters.windowUs <= takenAtUs && nowUs < endsUs;
  return giveBackIn(state, cost, inWindow && setting === parameters.setting);
};

/** Bytes of the state in Redis. */
export const fixedWindowBytes = (): number => 17;

export const FIXED_WINDOW: ImplementationOf<FixedWindowPolicy> = /* @__PURE__ */ defineAlgorithm<
  FixedWindowPolicy,
  FixedWindowValues,
  FixedWindowParameters,
  CountedWindow
>({
  name: "fixed-window",
  code: "f",
  layout: 2,
  maxLimit: MAX_UNITS,
  options: { window: WINDOW, aligned: { kind: "boolean", default: true } },
  nameParts: ({ window, aligned }) => (aligned === false ? [window, "unaligned"] : [window]),

  quotaOf(limit, { window: windowUs, aligned }) {
    const sizeClass = Math.floor(Math.log(windowUs / 1000) / Math.log(1.1));
    const setting = sizeClass + (aligned === 0 ? FROM_REQUEST : 0);
    return { limit, windowUs, parameters: { windowUs, setting } };
  },
  parameters: ["windowUs", "setting"],
  ttl: () => 0,

  // As it is: leased units expire with the window in which they were taken.
  lease: { tighten: (quota) => quota, maxUs: () => Infinity, endsWithWindow: true },
  scale: scaleWindow,
  script,
  model,
});
