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

/** As far as the zone that is furthest ahead of UTC. */
const MOST_NEAR_US = 14 * 3600e6;

/** How far apart boundaries of two calendars may lie to be near: of days three hours. */
const nearUs = (afterUs: number) => Math.min(afterUs / 8, MOST_NEAR_US);

const NEVER_COUNTED: CountedWindow = {
  endsUs: -Infinity,
  setting: OF_CALENDAR,
  used: 0,
  cut: false,
};

/** The lengths of the windows before and after that of an isolate's clock. */
const lengthsUs = (neighbours: number) =>
  [Math.floor(neighbours / NEIGHBOUR) * 1e6, (neighbours % NEIGHBOUR) * 1e6] as const;

/** The window that is now by the isolate's calendar, the end of the one after it, and how far apart near boundaries lie. */
function placeOf(nowUs: number, parameters: CalendarParameters) {
  // In this order: the first one turns to the window of now.
  const { startsUs: opens, endsUs: closes, neighbours } = parameters;
  const [before, after] = lengthsUs(neighbours);
  let [starts, ends, later, isLost] = [opens, closes, closes + after, false];
  // The isolate's clock may be wrong by a window.
  if (nowUs < opens) {
    [starts, ends, later] = [opens - before, opens, closes];
    isLost = nowUs < starts;
  } else if (nowUs >= closes) {
    starts = nowUs - ((nowUs - closes) % after);
    [ends, later, isLost] = [starts + after, starts + 2 * after, starts > closes];
  }
  return { closes, after, starts, ends, later, isLost, near: nearUs(after) };
}

export const countCalendarWindow: AlgorithmModel<CalendarParameters, CountedWindow> = (
  state,
  request,
) => {
  const { nowUs, operation, parameters } = request;
  const { closes, after, starts, ends, later, isLost, near } = placeOf(nowUs, parameters);
  let { endsUs, setting, used, cut } = state ?? NEVER_COUNTED;
  const isNear = (otherUs: number) => Math.abs(endsUs - otherUs) <= near;
  const isOwn = state !== undefined && setting >= OF_CALENDAR;
  const isCounting = nowUs < endsUs;
  if (!isCounting) {
    const last = isOwn ? endsUs : starts;
    setting = setting === OF_TWO && last !== starts ? OF_TWO : OF_CALENDAR;
    // The other calendar may have ended this window already.
    endsUs = last < ends && ends - last <= near ? later : ends;
    [used, cut] = [0, false];
  } else if (
    endsUs === ends ||
    (isOwn &&
      (endsUs === closes || endsUs === closes + after || (isLost && endsUs - nowUs <= after)))
  ) {
    return countIn(state!, state, request);
  } else if (isOwn && (isNear(starts) || isNear(later) || (setting === OF_TWO && isNear(ends)))) {
    // The window before, which ends late, the next one, which began early, or one that both calendars share.
    if (setting === OF_TWO) return countIn(state, state, request);
    setting = OF_TWO;
  } else {
    // The calendar was changed: the count moves to the current window of the new one.
    setting = isOwn && isNear(ends) ? OF_TWO : OF_CALENDAR;
    endsUs = ends;
  }

  const keptUntilUs = setting === OF_TWO ? endsUs + near : undefined;
  const window = { endsUs, setting, used, cut, keptUntilUs };
  return countIn(window, isCounting && operation !== "peek" ? window : state, request);
};

/** Only in the window that took the units, and from a count from which no charge was cut off. */
export const refundCalendarWindow: RefundModel<CalendarParameters, CountedWindow> = (
  state,
  { nowUs, takenAtUs, cost, parameters },
) => {
  const { startsUs: opens, endsUs: closes, neighbours } = parameters;
  const [before, after] = lengthsUs(neighbours);
  const { endsUs, setting } = state;
  // It may have begun later than by the isolate's calendar.
  const near = setting === OF_TWO ? nearUs(after) : 0;
  const began = [
    [closes, opens],
    [opens, opens - before],
    [closes + after, closes],
  ].find(([ends]) => Math.abs(endsUs - ends!) <= near)?.[1];
  const inWindow = began !== undefined && began + near <= takenAtUs && nowUs < endsUs;
  return giveBackIn(state, cost, inWindow && setting >= OF_CALENDAR);
};
