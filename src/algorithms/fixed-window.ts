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
  lifetime: 2,
  script,
  model: fixedWindow as AlgorithmModel<unknown>,
  times: windowTimes,
};
