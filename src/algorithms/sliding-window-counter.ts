import { MAX_LIMIT } from "../options/positive-integer.ts";
import type { Implementation } from "./implementation.ts";
import type { AlgorithmModel } from "./model.ts";
import { SLIDING_WINDOW_COUNTER as script } from "./scripts.generated.ts";
import { slidingWindowCounter } from "./sliding-window-counter-model.ts";
import { tickOf, windowTimes } from "./window.ts";

export const SLIDING_WINDOW_COUNTER: Implementation = {
  name: "sliding-window-counter",
  options: ["window"],
  maxLimit: MAX_LIMIT,
  limitHint: "",
  code: "c",
  ttl: () => 0,
  script,
  model: slidingWindowCounter as AlgorithmModel<unknown>,

  /** The window, and the ticks in which it is weighed. */
  times(policy, limit, path, faults) {
    const { windowMicroseconds } = windowTimes(policy, limit, path, faults);
    const tick = tickOf(windowMicroseconds, limit);
    return { windowMicroseconds, parameters: [windowMicroseconds, tick] };
  },
};
