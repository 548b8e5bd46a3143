import { IMPLEMENTATION } from "../algorithms/algorithm.ts";
import { calendarWindowBy } from "../algorithms/calendar-definition.ts";
import { namesCalendar } from "../algorithms/calendar-options.ts";
import type { Policy } from "../policy/policy.ts";
import type { Store } from "../store/store.ts";

export interface CalendarFeature {
  /**
   * Gives the fixed windows that name a calendar the algorithm that decides them; leaves all other policies as they are.
   *
   * @param store whose clock shows the window of now. Default: the isolate's clock
   */
  adopt(policies: readonly Policy[], store: Store | undefined): readonly Policy[];
}

/** Windows of a calendar: apart, so that a bundle with durations alone has no time zones. */
export const calendar: CalendarFeature = {
  adopt(policies, store) {
    if (!Array.isArray(policies)) return policies;
    const ofCalendar = calendarWindowBy(
      typeof store?.now === "function" ? () => store.now!() / 1000 : () => Date.now(),
    );
    return policies.map((policy: Policy) =>
      policy?.algorithm === "fixed-window" && policy[IMPLEMENTATION] && namesCalendar(policy)
        ? ({
            ...policy,
            algorithm: ofCalendar.name,
            [IMPLEMENTATION]: ofCalendar,
          } as unknown as Policy)
        : policy,
    );
  },
};
