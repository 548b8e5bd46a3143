import type { Policy } from "../policy/policy.ts";
import { MAX_LIMIT, whole } from "../policy/whole.ts";
import { windowTimes } from "../policy/window.ts";
import type { AlgorithmModel } from "../store/memory/algorithm.ts";
import { segmentedWindow } from "../store/memory/segmented-window.ts";
import { SEGMENTED_WINDOW as script } from "../store/scripts.generated.ts";
import type { Implementation } from "./implementation.ts";

/** A segmented window reads all its counts with each request. */
const MAX_SEGMENTS = 60;

export const SEGMENTED_WINDOW: Implementation = {
  name: "segmented-window",
  options: ["window", "segments"],
  maxLimit: MAX_LIMIT,
  beyond: "",
  code: "s",
  ttl: () => 0,
  script,
  model: segmentedWindow as AlgorithmModel<unknown>,

  /** The length of a segment, rounded up: segments that cover a little more than the window keep its promise. */
  times(policy, limit, path, faults) {
    const { segments = 10 } = policy as Extract<Policy, { algorithm: "segmented-window" }>;
    const { windowMicroseconds } = windowTimes(policy, limit, path, faults);
    const count = whole(segments, MAX_SEGMENTS, `${path}.segments`, faults);
    return { windowMicroseconds, parameters: [Math.ceil(windowMicroseconds / count), count] };
  },
};
