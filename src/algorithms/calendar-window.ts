import { type CountedWindow, countIn, giveBackIn } from "./counted-window.ts";
import type { AlgorithmModel, RefundModel } from "./model.ts";

/*
 * How a window of a calendar is counted. It stands apart from the calendars, so that a bundle with the refunds of all
 * algorithms has no code for time zones.
 */

/** The window of a moment, as the script takes it; times in microseconds since 1970. */
export interface CalendarParameters extends Readonly<Record<string, number>> {
  readonly startsUs: number;
  readonly endsUs: number;
  /** The length of the window after it. */
  readonly followingUs: number;
}

/** A window that counts goes on until it ends, whichever isolate began it. */
export interface CountedCalendarWindow extends CountedWindow {
  /** When its first unit was taken. */
  readonly beganUs: number;
}

/** As far as the zone that is furthest ahead of UTC. */
const FARTHEST_US = 14 * 3600e6;

/** The ends of the window that is now by the isolate's calendar and of the one after it, and how far apart those of two isolates lie. */
function endsOf(nowUs: number, parameters: CalendarParameters) {
  // In this order: the first one turns to the window of now.
  const { startsUs: opens, endsUs: closes, followingUs } = parameters;
  const nearUs = Math.min(followingUs / 8, FARTHEST_US);
  // The isolate's clock may be wrong by a window.
  if (nowUs < opens) return { endsUs: opens, laterUs: closes, nearUs };
  const passed = nowUs < closes ? 0 : Math.floor((nowUs - closes) / followingUs) + 1;
  const endsUs = closes + passed * followingUs;
  return { endsUs, laterUs: endsUs + followingUs, nearUs };
}

export const countCalendarWindow: AlgorithmModel<CalendarParameters, CountedCalendarWindow> = (
  state,
  request,
) => {
  const { nowUs, parameters } = request;
  const { endsUs, laterUs, nearUs } = endsOf(nowUs, parameters);
  const windowTo = (ends: number, beganUs: number, used: number) => ({
    endsUs: ends,
    beganUs,
    used,
    keptUntilUs: ends + nearUs,
  });
  if (!state || nowUs >= state.endsUs) {
    // An isolate with other data about the zone has ended this window a little earlier.
    const hasEnded = state && endsUs - state.endsUs <= nearUs;
    return countIn(windowTo(hasEnded ? laterUs : endsUs, nowUs, 0), state, request);
  }
  if (state.endsUs <= laterUs + nearUs) return countIn(state, state, request);
  const mended = windowTo(endsUs, state.beganUs, state.used);
  return countIn(mended, mended, request);
};

/** Only in the window that took the units. */
export const refundCalendarWindow: RefundModel<CalendarParameters, CountedCalendarWindow> = (
  state,
  { nowUs, takenAtUs, cost },
) => giveBackIn(state, cost, state.beganUs <= takenAtUs && nowUs < state.endsUs);
