import { defineAlgorithm, IMPLEMENTATION, MAX_LIMIT, type PolicyOf } from "./algorithm.ts";
import { type AlgorithmModel, takes, waitingCost, type RefundModel } from "./model.ts";
import { FIXED_WINDOW as script } from "./scripts.generated.ts";
import {
  scaleWindow,
  WINDOW,
  windowNameParts,
  type WindowOptions,
  type WindowValues,
} from "./window.ts";

export type FixedWindowPolicy = PolicyOf<"fixed-window", WindowOptions>;

/**
 * One count per window on a grid of the clock; a window of `"1d"` is a UTC day. The cheapest algorithm. Around a
 * boundary up to twice the limit passes: with `limit: 100, window: "1m"`, 100 requests at 11:59:59 and 100 more at
 * 12:00:00.
 *
 * @example
 * fixedWindow({ limit: 1000, window: "1d" })
 */
export function fixedWindow(options: WindowOptions): FixedWindowPolicy {
  return { ...options, algorithm: "fixed-window", [IMPLEMENTATION]: FIXED_WINDOW };
}

interface FixedWindowParameters extends Readonly<Record<string, number>> {
  readonly windowUs: number;
  /** The window's length in steps of a tenth, so that the script notices a changed window: 0 for 1 ms, 253 for a year. */
  readonly sizeClass: number;
}

interface FixedWindowState {
  /** When the counted window ends. */
  readonly endsUs: number;
  /** The size class of that window. */
  readonly sizeClass: number;
  readonly used: number;
  /** Whether a charge was cut off. */
  readonly cut: boolean;
}

const model: AlgorithmModel<FixedWindowParameters, FixedWindowState> = (state, request) => {
  const { nowUs, operation, cost, limit, parameters } = request;
  const { windowUs, sizeClass } = parameters;
  const boundary = nowUs - (nowUs % windowUs) + windowUs;
  let { endsUs, used, cut } = state ?? { endsUs: -Infinity, used: 0, cut: false };
  let kept = state;
  if (nowUs >= endsUs) {
    // A window off the grid is followed by another, or one more burst would fit in between.
    const follows = nowUs - endsUs < windowUs && state!.sizeClass === sizeClass;
    endsUs = follows ? endsUs + windowUs : boundary;
    used = 0;
    cut = false;
  } else if (state!.sizeClass !== sizeClass) {
    // The window was changed: the count moves to the window of the new grid, but not beyond the old one's end if that
    // was longer.
    endsUs = state!.sizeClass < sizeClass ? boundary : Math.min(endsUs, boundary);
    kept = { endsUs, sizeClass, used, cut };
  } else if (endsUs - nowUs > windowUs) {
    // The clock stepped back to before the window began: the window begins now.
    endsUs = nowUs + windowUs;
    kept = { endsUs, sizeClass, used, cut };
  }

  const allowed = used + cost <= limit;
  if (takes(operation, allowed)) {
    const units = Math.min(used + cost, Math.max(2 * limit, used));
    cut ||= units < used + cost;
    used = units;
    kept = { endsUs, sizeClass, used, cut };
  }

  return {
    allowed,
    remaining: Math.max(0, limit - used),
    retryAfterUs: used + waitingCost(request) > limit ? endsUs - nowUs : 0,
    resetAfterUs: used > 0 ? endsUs - nowUs : 0,
    state: kept,
  };
};

/** Only in the window that took the units, and from a count from which no charge was cut off. */
export const refundFixedWindow: RefundModel<FixedWindowParameters, FixedWindowState> = (
  state,
  { nowUs, takenAtUs, cost, parameters },
) => {
  const { endsUs, sizeClass, used, cut } = state;
  const inWindow = endsUs - parameters.windowUs <= takenAtUs && nowUs < endsUs;
  const sure = inWindow && sizeClass === parameters.sizeClass && !cut;
  const given = sure ? Math.min(cost, used) : 0;
  return { given, state: given > 0 ? { ...state, used: used - given } : state };
};

export const FIXED_WINDOW = /* @__PURE__ */ defineAlgorithm<
  FixedWindowPolicy,
  WindowValues,
  FixedWindowParameters,
  FixedWindowState
>({
  name: "fixed-window",
  code: "f",
  layout: 1,
  maxLimit: MAX_LIMIT,
  options: { window: WINDOW },
  nameParts: windowNameParts,

  quotaOf(limit, { window: windowUs }) {
    const sizeClass = Math.floor(Math.log(windowUs / 1000) / Math.log(1.1));
    return { limit, windowUs, parameters: { windowUs, sizeClass } };
  },
  parameters: ["windowUs", "sizeClass"],
  ttl: () => 0,

  // As it is: leased units expire with the window in which they were taken.
  lease: { tighten: (quota) => quota, maxUs: () => Infinity, endsWithWindow: true },
  scale: scaleWindow,
  script,
  model,
});
