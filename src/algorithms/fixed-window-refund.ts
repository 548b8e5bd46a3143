import type { FixedWindowParameters, FixedWindowState } from "./fixed-window.ts";
import type { RefundModel } from "./model.ts";

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
