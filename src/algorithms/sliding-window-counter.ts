import { MAX_LIMIT } from "../policy/whole.ts";
import { tickOf, windowTimes } from "../policy/window.ts";
import type { AlgorithmModel } from "../store/memory/algorithm.ts";
import { slidingWindowCounter } from "../store/memory/sliding-window-counter.ts";
import { SLIDING_WINDOW_COUNTER as script } from "../store/scripts.generated.ts";
import type { Implementation } from "./implementation.ts";

export const SLIDING_WINDOW_COUNTER: Implementation = {
  name: "sliding-window-counter",
  options: ["window"],
  maxLimit: MAX_LIMIT,
  beyond: "",
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
