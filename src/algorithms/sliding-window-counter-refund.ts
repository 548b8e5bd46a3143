import type { RefundModel } from "./model.ts";
import type {
  SlidingWindowCounterParameters,
  SlidingWindowCounterState,
} from "./sliding-window-counter.ts";

/** Only to the window that took the units, while it counts, and if it was never cut off. */
export const refundSlidingWindowCounter: RefundModel<
  SlidingWindowCounterParameters,
  SlidingWindowCounterState
> = (state, { nowUs, takenAtUs, cost, limit, parameters: { windowUs } }) => {
  const { startUs, lengthMs } = state;
  const holds = startUs <= takenAtUs ? "current" : "previous";
  const beganUs = holds === "current" ? startUs : startUs - windowUs;
  const inWindow = beganUs <= takenAtUs && takenAtUs < beganUs + windowUs;
  const counting = startUs <= nowUs && nowUs < beganUs + 2 * windowUs;
  const same = lengthMs === Math.ceil(windowUs / 1000);
  const sure = inWindow && counting && same && state[holds] < 2 * limit;
  const given = sure ? Math.min(cost, state[holds]) : 0;
  return { given, state: given > 0 ? { ...state, [holds]: state[holds] - given } : state };
};
