import { checkPlans } from "./plans.ts";
import { underPlan } from "./step.ts";

/** What a limiter has of plans. */
export const plans = { compile: checkPlans, steps: underPlan };
