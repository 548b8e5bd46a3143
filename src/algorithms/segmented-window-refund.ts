import type { RefundModel } from "./model.ts";
import type { SegmentedWindowParameters, SegmentedWindowState } from "./segmented-window.ts";

/** Only to the segment that took the units, while it counts, and if it was never cut off. */
export const refundSegmentedWindow: RefundModel<SegmentedWindowParameters, SegmentedWindowState> = (
  state,
  { nowUs, takenAtUs, cost, limit, parameters },
) => {
  const { startUs, lengthUs, segments, counts } = state;
  const same = lengthUs === parameters.lengthUs && segments === parameters.segments;
  const holds = counts.findIndex((_count, index) => {
    const beganUs = startUs - index * lengthUs;
    const counting = nowUs < beganUs + (segments + 1) * lengthUs;
    return beganUs <= takenAtUs && takenAtUs < beganUs + lengthUs && counting;
  });
  const sure = same && startUs <= nowUs && holds !== -1 && counts[holds]! < 2 * limit;
  const given = sure ? Math.min(cost, counts[holds]!) : 0;
  const left = counts.map((count, index) => (index === holds ? count - given : count));
  return { given, state: given > 0 ? { ...state, counts: left } : state };
};
