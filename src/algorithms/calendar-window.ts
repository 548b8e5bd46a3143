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

const NEVER_COUNTED: CountedWindow = {
  endsUs: -Infinity,
  setting: OF_CALENDAR,
  used: 0,
  cut: false,
};

export const countCalendarWindow: AlgorithmModel<CalendarParameters, CountedWindow> = (
  state,
  request,
) => {
  const { nowUs, parameters } = request;
  // In this order: the first one turns to the window of now.
  const { startsUs, endsUs: shownEndsUs, neighbours } = parameters;
  const afterUs = (neighbours % NEIGHBOUR) * 1e6;
  const beforeUs = Math.floor(neighbours / NEIGHBOUR) * 1e6;
  let boundary = shownEndsUs;
  // Whether the isolate's clock is wrong by more than a window.
  let isLost = false;
  if (nowUs < startsUs) {
    boundary = startsUs;
    isLost = startsUs - nowUs > beforeUs;
  } else if (nowUs >= shownEndsUs) {
    boundary = shownEndsUs + afterUs;
    isLost = nowUs >= boundary;
    if (isLost) boundary = nowUs - ((nowUs - shownEndsUs) % afterUs) + afterUs;
  }

  let { endsUs, setting, used, cut } = state ?? NEVER_COUNTED;
  let kept = state;
  const isOwn = setting === OF_CALENDAR;
  const isNext = endsUs === shownEndsUs || endsUs === shownEndsUs + afterUs;
  if (nowUs >= endsUs) {
    endsUs = boundary;
    setting = OF_CALENDAR;
    used = 0;
    cut = false;
  } else if (endsUs !== boundary && !(isOwn && (isNext || (isLost && endsUs - nowUs <= afterUs)))) {
    // The calendar was changed: the count moves to the current window of the new one.
    endsUs = boundary;
    setting = OF_CALENDAR;
    kept = { endsUs, setting, used, cut };
  }

  return countIn({ endsUs, setting, used, cut }, kept, request);
};

/** Only in the window that took the units, and from a count from which no charge was cut off. */
export const refundCalendarWindow: RefundModel<CalendarParameters, CountedWindow> = (
  state,
  { nowUs, takenAtUs, cost, parameters },
) => {
  const { startsUs, endsUs: shownEndsUs, neighbours } = parameters;
  const { endsUs, setting } = state;
  const beganUs = new Map([
    [startsUs, startsUs - Math.floor(neighbours / NEIGHBOUR) * 1e6],
    [shownEndsUs, startsUs],
    [shownEndsUs + (neighbours % NEIGHBOUR) * 1e6, shownEndsUs],
  ]).get(endsUs);
  const inWindow = beganUs !== undefined && beganUs <= takenAtUs && nowUs < endsUs;
  return giveBackIn(state, cost, inWindow && setting === OF_CALENDAR);
};
