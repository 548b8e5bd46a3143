import type { RefundModel } from "./model.ts";
import {
  CUT,
  type Grid,
  type SegmentedWindowParameters,
  type SegmentedWindowState,
} from "./segmented-window.ts";

/**
 * Only to the segment that took the units, while it counts, and if no charge was cut off there; in the grid of every setting
 * that is alive.
 */
export const refundSegmentedWindow: RefundModel<SegmentedWindowParameters, SegmentedWindowState> = (
  state,
  { nowUs, takenAtUs, cost, parameters: { lengthUs, segments } },
) => {
  function back<Counted extends Grid>(grid: Counted, most: number) {
    const { startUs, lengthUs: stepUs, counts } = grid;
    const index = Math.ceil((startUs - takenAtUs) / stepUs);
    const isCounting = nowUs < startUs + (grid.segments + 1 - index) * stepUs;
    const count = startUs <= nowUs && isCounting ? (counts[index] ?? 0) : 0;
    const given = count < CUT ? Math.min(most, count) : 0;
    const left = counts.map((each, i) => (i === index ? each - given : each));
    return { given, grid: { ...grid, counts: left } };
  }
  const own = [state, ...state.others].find(
    (grid) => grid.lengthUs === lengthUs && grid.segments === segments,
  );
  const given = own ? back(own, cost).given : 0;
  if (given === 0) return { given, state };
  const others = state.others.map((grid) => back(grid, given).grid);
  return { given, state: { ...back(state, given).grid, others } };
};
