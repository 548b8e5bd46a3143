import { checkOptimisticCost, compileOptimism } from "./compile-optimism.ts";
import { optimisticStep } from "./optimistic-step.ts";

/** Policies whose requests an isolate admits before the store has counted them. */
export const optimistic = {
  compile: compileOptimism,
  checkCost: checkOptimisticCost,
  steps: optimisticStep,
};
