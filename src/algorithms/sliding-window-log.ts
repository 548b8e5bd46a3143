import { windowTimes } from "../policy/window.ts";
import type { AlgorithmModel } from "../store/memory/algorithm.ts";
import { slidingWindowLog } from "../store/memory/sliding-window-log.ts";
import { SLIDING_WINDOW_LOG as script } from "../store/scripts.generated.ts";
import type { Implementation } from "./implementation.ts";

export const SLIDING_WINDOW_LOG: Implementation = {
  name: "sliding-window-log",
  options: ["window"],
  // A log holds every unit: these are 700 KB in one key, and its header counts to 2^17.
  maxLimit: 100_000,
  beyond: ", or a segmented-window for more",
  code: "l",
  ttl: ({ windowMicroseconds }) => Math.ceil((2 * windowMicroseconds) / 1000) + 1,
  script,
  model: slidingWindowLog as AlgorithmModel<unknown>,
  times: windowTimes,
};
