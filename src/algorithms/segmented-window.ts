import { MAX_LIMIT, positiveInteger } from "../options/positive-integer.ts";
import type { Policy } from "../policy/policy.ts";
import type { Implementation } from "./implementation.ts";
import type { AlgorithmModel } from "./model.ts";
import { SEGMENTED_WINDOW as script } from "./scripts.generated.ts";
import { segmentedWindow } from "./segmented-window-model.ts";
import { windowTimes } from "./window.ts";

/** A segmented window reads all its counts with each request. */
const MAX_SEGMENTS = 60;

export const SEGMENTED_WINDOW: Implementation = {
  name: "segmented-window",
  options: ["window", "segments"],
  maxLimit: MAX_LIMIT,
  limitHint: "",
  code: "s",
  ttl: () => 0,
  script,
  model: segmentedWindow as AlgorithmModel<unknown>,

  /** The length of a segment, rounded up: segments that cover a little more than the window keep its promise. */
  times(policy, limit, path, faults) {
    const { segments = 10 } = policy as Extract<Policy, { algorithm: "segmented-window" }>;
    const { windowMicroseconds } = windowTimes(policy, limit, path, faults);
    const count = positiveInteger(segments, MAX_SEGMENTS, `${path}.segments`, faults);
    return { windowMicroseconds, parameters: [Math.ceil(windowMicroseconds / count), count] };
  },
};
