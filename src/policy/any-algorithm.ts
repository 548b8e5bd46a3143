import type { Implementation } from "../algorithms/implementation.ts";
import { windowOf } from "../algorithms/window.ts";
import { MAX_LIMIT, positiveInteger } from "../options/positive-integer.ts";

/** What checks a policy. */
export type PolicyChecks = Pick<Implementation, "maxLimit" | "limitHint" | "options" | "times">;

/** For a policy whose algorithm is unknown: any option that it has must suit the algorithm that has this option. */
export const ANY_ALGORITHM: PolicyChecks = {
  maxLimit: MAX_LIMIT,
  limitHint: "",
  options: ["refill", "per", "window", "segments"],

  times(policy, _limit, path, faults) {
    const given = policy as unknown as Record<string, unknown>;
    const { window = "1s", per = "1s", refill = 1, segments = 1 } = given;
    windowOf(window, `${path}.window`, faults);
    windowOf(per, `${path}.per`, faults);
    positiveInteger(refill, MAX_LIMIT, `${path}.refill`, faults);
    positiveInteger(segments, 60, `${path}.segments`, faults);
    return { windowMicroseconds: 1, parameters: [1, 0] };
  },
};
