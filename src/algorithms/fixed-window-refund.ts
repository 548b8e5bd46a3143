import type { FixedWindowParameters, FixedWindowState } from "./fixed-window.ts";
import type { RefundModel } from "./model.ts";

/** Only in the window that took the units, and from a count that was never cut off. */
export const refundFixedWindow: RefundModel<FixedWindowParameters, FixedWindowState> = (
  state,
  { nowUs, takenAtUs, cost, limit, parameters },
) => {
  const { endsUs, sizeClass, used } = state;
  const inWindow = endsUs - parameters.windowUs <= takenAtUs && nowUs < endsUs;
  const sure = inWindow && sizeClass === parameters.sizeClass && used < 2 * limit;
  const given = sure ? Math.min(cost, used) : 0;
  return { given, state: given > 0 ? { ...state, used: used - given } : state };
};
