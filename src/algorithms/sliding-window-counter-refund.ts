import type { RefundModel } from "./model.ts";
import {
  type Counts,
  CUT,
  type SlidingWindowCounterParameters,
  type SlidingWindowCounterState,
} from "./sliding-window-counter.ts";

/**
 * Only to the window that took the units, while it counts, and if no units were cut off from it; to the counts of every
 * setting that is alive.
 */
export const refundSlidingWindowCounter: RefundModel<
  SlidingWindowCounterParameters,
  SlidingWindowCounterState
> = (state, { nowUs, takenAtUs, cost, parameters }) => {
  const lengthMs = Math.ceil(parameters.windowUs / 1000);
  const isOwn = (counts: Counts) => counts.lengthMs === lengthMs;

  function back<Counted extends Counts>(counts: Counted, most: number) {
    const { startUs } = counts;
    const windowUs = isOwn(counts) ? parameters.windowUs : counts.lengthMs * 1000;
    const holds = startUs <= takenAtUs ? "current" : "previous";
    const beganUs = holds === "current" ? startUs : startUs - windowUs;
    const inWindow = beganUs <= takenAtUs && takenAtUs < beganUs + windowUs;
    const counting = startUs <= nowUs && nowUs < beganUs + 2 * windowUs;
    const sure = inWindow && counting && counts[holds] < CUT;
    const given = sure ? Math.min(most, counts[holds]) : 0;
    return { given, counts: { ...counts, [holds]: counts[holds] - given } };
  }
  const own = [state, ...state.others].find(isOwn);
  const given = own ? back(own, cost).given : 0;
  if (given === 0) return { given, state };
  const others = state.others.map((counts) => back(counts, given).counts);
  return { given, state: { ...back(state, given).counts, others } };
};
