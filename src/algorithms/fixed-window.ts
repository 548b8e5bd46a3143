import { MAX_LIMIT } from "../options/positive-integer.ts";
import { fixedWindow } from "./fixed-window-model.ts";
import type { Implementation } from "./implementation.ts";
import type { AlgorithmModel } from "./model.ts";
import { FIXED_WINDOW as script } from "./scripts.generated.ts";
import { windowTimes } from "./window.ts";

export const FIXED_WINDOW: Implementation = {
  name: "fixed-window",
  options: ["window"],
  maxLimit: MAX_LIMIT,
  limitHint: "",
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
