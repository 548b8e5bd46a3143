import type { Implementation } from "./implementation.ts";
import type { AlgorithmModel } from "./model.ts";
import { SLIDING_WINDOW_LOG as script } from "./scripts.generated.ts";
import { slidingWindowLog } from "./sliding-window-log-model.ts";
import { windowTimes } from "./window.ts";

export const SLIDING_WINDOW_LOG: Implementation = {
  name: "sliding-window-log",
  options: ["window"],
  // A log holds every unit: these are 700 KB in one key, and its header counts to 2^17.
  maxLimit: 100_000,
  limitHint: ", or a segmented-window for more",
  code: "l",
  ttl: ({ windowMicroseconds }) => Math.ceil((2 * windowMicroseconds) / 1000) + 1,
  script,
  model: slidingWindowLog as AlgorithmModel<unknown>,
  times: windowTimes,
};
