import { checkPlans } from "./plans.ts";
import { underPlan } from "./step.ts";

/** The plans of a limiter. */
export const plans = { compile: checkPlans, steps: underPlan };
