import { MAX_LIMIT } from "../policy/whole.ts";
import { windowTimes } from "../policy/window.ts";
import type { AlgorithmModel } from "../store/memory/algorithm.ts";
import { fixedWindow } from "../store/memory/fixed-window.ts";
import { FIXED_WINDOW as script } from "../store/scripts.generated.ts";
import type { Implementation } from "./implementation.ts";

export const FIXED_WINDOW: Implementation = {
  name: "fixed-window",
  options: ["window"],
  maxLimit: MAX_LIMIT,
  beyond: "",
  code: "f",
  ttl: () => 0,
  script,
  model: fixedWindow as AlgorithmModel<unknown>,

  /** The window, and its size: in steps of a tenth from a millisecond on, which makes a year 253. */
  times(policy, limit, path, faults) {
    const { windowMicroseconds } = windowTimes(policy, limit, path, faults);
    const size = Math.floor(Math.log(windowMicroseconds / 1000) / Math.log(1.1));
    return { windowMicroseconds, parameters: [windowMicroseconds, size] };
  },
};
