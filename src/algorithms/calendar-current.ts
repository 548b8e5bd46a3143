import { boundariesAround, type Calendar } from "./calendar-boundaries.ts";
import type { CalendarParameters } from "./calendar-window.ts";

/** The window of this moment in a list of boundaries that has the window after it, too. */
function windowIn(boundaries: readonly number[], ms: number): CalendarParameters | undefined {
  const at = boundaries.findLastIndex((boundary) => boundary <= ms);
  const [starts, ends, next] = boundaries.slice(at, at + 3);
  if (at < 0 || next === undefined) return undefined;
  return {
    startsUs: starts! * 1000,
    endsUs: ends! * 1000,
    followingUs: (next - ends!) * 1000,
  };
}

/**
 * Follows a calendar through time: each call answers with the window of now. Boundaries are computed when it is made, and
 * renewed in the background as soon as half of them have passed. A request computes some only if all have passed since the
 * last one: after months without a request, of hours ten days.
 *
 * @param nowMs a clock in milliseconds since 1970; within a list it may go back
 */
export function follow(calendar: Calendar, nowMs: () => number): () => CalendarParameters {
  let list = boundariesAround(calendar, nowMs());
  let current = windowIn(list, nowMs())!;

  const renew = () => {
    list = boundariesAround(calendar, nowMs());
  };

  return () => {
    const ms = nowMs();
    if (ms * 1000 >= current.startsUs && ms * 1000 < current.endsUs) return current;
    let found = windowIn(list, ms);
    if (!found) {
      renew();
      found = windowIn(list, ms)!;
    } else if (ms > list[list.length >> 1]!) {
      // While the request waits for its answer.
      setTimeout(renew, 0);
    }
    return (current = found);
  };
}
