import { checkPlans } from "./plans.ts";
import { underPlan } from "./step.ts";

/** The plans of a limiter. */
export const limiterPlans = { compile: checkPlans, steps: underPlan };
