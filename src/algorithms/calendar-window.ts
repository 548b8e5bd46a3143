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
  /** The lengths of the windows before and after it, in seconds: `before * NEIGHBOUR + after`. */
  readonly neighbours: number;
}

/** More seconds than a month has. */
export const NEIGHBOUR = 2 ** 22;

/**
 * The setting of windows of any calendar. The state is that of a fixed window, whose settings are smaller: a policy keeps its
 * count when its window becomes one of a calendar.
 */
const OF_CALENDAR = 512;

/** The setting while two calendars with boundaries near each other share the count. */
const OF_TWO = 513;

/** Between the zones of two continents. */
const MOST_NEAR_US = 14 * 3600e6;

/** How far boundaries of two calendars may lie apart to be near: of days three hours. */
const nearUs = (afterUs: number) => Math.min(afterUs / 8, MOST_NEAR_US);

/** A window by the isolate's calendar, and the end of the one after it. */
interface Place {
  readonly startsUs: number;
  readonly endsUs: number;
  readonly laterUs: number;
  /** Whether the isolate's clock is wrong by more than a window. */
  readonly isLost: boolean;
}

/** The window of a moment. The isolate's clock may be wrong by a window. */
function placeOf(
  nowUs: number,
  { startsUs, endsUs }: Pick<CalendarParameters, "startsUs" | "endsUs">,
  { beforeUs, afterUs }: Readonly<Record<"beforeUs" | "afterUs", number>>,
): Place {
  if (nowUs < startsUs) {
    const firstUs = startsUs - beforeUs;
    return { startsUs: firstUs, endsUs: startsUs, laterUs: endsUs, isLost: nowUs < firstUs };
  }
  if (nowUs < endsUs) return { startsUs, endsUs, laterUs: endsUs + afterUs, isLost: false };
  const fromUs = nowUs - ((nowUs - endsUs) % afterUs);
  return {
    startsUs: fromUs,
    endsUs: fromUs + afterUs,
    laterUs: fromUs + 2 * afterUs,
    isLost: fromUs > endsUs,
  };
}

function neighboursOf(neighbours: number) {
  return {
    beforeUs: Math.floor(neighbours / NEIGHBOUR) * 1e6,
    afterUs: (neighbours % NEIGHBOUR) * 1e6,
  };
}

export const countCalendarWindow: AlgorithmModel<CalendarParameters, CountedWindow> = (
  state,
  request,
) => {
  const { nowUs, operation, parameters } = request;
  // In this order: the first one turns to the window of now.
  const { startsUs, endsUs: shownEndsUs, neighbours } = parameters;
  const lengths = neighboursOf(neighbours);
  const { afterUs } = lengths;
  const place = placeOf(nowUs, { startsUs, endsUs: shownEndsUs }, lengths);
  const near = nearUs(afterUs);
  const isNear = (oneUs: number, otherUs: number) => Math.abs(oneUs - otherUs) <= near;
  const windowTo = (endsUs: number, setting: number, used = 0, cut = false): CountedWindow => ({
    endsUs,
    setting,
    used,
    cut,
    keptUntilUs: setting === OF_TWO ? endsUs + near : undefined,
  });

  const isOwn = state !== undefined && state.setting >= OF_CALENDAR;
  if (!state || nowUs >= state.endsUs) {
    const lastUs = isOwn ? state.endsUs : place.startsUs;
    const isShared = state?.setting === OF_TWO && lastUs !== place.startsUs;
    // The other calendar has ended this window already.
    const isOver = lastUs < place.endsUs && isNear(lastUs, place.endsUs);
    const endsUs = isOver ? place.laterUs : place.endsUs;
    return countIn(windowTo(endsUs, isShared ? OF_TWO : OF_CALENDAR), state, request);
  }

  const { endsUs, setting, used, cut } = state;
  const isNext = endsUs === shownEndsUs || endsUs === shownEndsUs + afterUs;
  if (
    endsUs === place.endsUs ||
    (isOwn && (isNext || (place.isLost && endsUs - nowUs <= afterUs)))
  ) {
    return countIn(state, state, request);
  }
  // Either of the window before, which ends late, or of the next one, which began early, or of one that both share.
  const isOther =
    isOwn &&
    (isNear(endsUs, place.startsUs) ||
      isNear(endsUs, place.laterUs) ||
      (setting === OF_TWO && isNear(endsUs, place.endsUs)));
  // Else the calendar was changed: the count moves to the current window of the new one.
  const window = isOther
    ? windowTo(endsUs, OF_TWO, used, cut)
    : windowTo(
        place.endsUs,
        isOwn && isNear(endsUs, place.endsUs) ? OF_TWO : OF_CALENDAR,
        used,
        cut,
      );
  const isKept = operation === "peek" || (isOther && setting === OF_TWO);
  return countIn(window, isKept ? state : window, request);
};

/** Only in the window that took the units, and from a count from which no charge was cut off. */
export const refundCalendarWindow: RefundModel<CalendarParameters, CountedWindow> = (
  state,
  { nowUs, takenAtUs, cost, parameters },
) => {
  const { startsUs, endsUs: shownEndsUs, neighbours } = parameters;
  const { beforeUs, afterUs } = neighboursOf(neighbours);
  const { endsUs, setting } = state;
  // It may have begun later than by the isolate's calendar.
  const near = setting === OF_TWO ? nearUs(afterUs) : 0;
  const isNear = (otherUs: number) => Math.abs(endsUs - otherUs) <= near;
  const beganUs = isNear(shownEndsUs)
    ? startsUs
    : isNear(startsUs)
      ? startsUs - beforeUs
      : isNear(shownEndsUs + afterUs)
        ? shownEndsUs
        : Infinity;
  const inWindow = beganUs + near <= takenAtUs && nowUs < endsUs;
  return giveBackIn(state, cost, inWindow && setting >= OF_CALENDAR);
};
