import type { CoreSettings, LimiterContext } from "../../decide/limiter-context.ts";
import { after, type Decide, type Step, type Verdict } from "../../decide/step.ts";

/** Tells the store of requests that the isolate denied by itself: they still count as demand. */
export function countDenied({ store, keysOf }: LimiterContext<CoreSettings>): Step<Decide> {
  function count({ reason, groups }: Verdict): void {
    if (reason !== "cached-denial") return;
    for (const { asked } of groups) store.noteDenied?.(keysOf(asked), asked.costs);
  }

  return (next) => (asked) =>
    after(next(asked), (verdict) => {
      count(verdict);
      return verdict;
    });
}
