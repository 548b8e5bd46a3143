import { checkOptimisticCost, compileOptimism } from "./check.ts";
import { optimisticStep } from "./step.ts";

/** Policies whose requests an isolate admits before the store has counted them. */
export const optimistic = {
  compile: compileOptimism,
  checkCost: checkOptimisticCost,
  steps: optimisticStep,
};
