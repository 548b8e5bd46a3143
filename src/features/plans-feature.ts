import { underPlan } from "./plan-step.ts";
import { checkPlans } from "./plans.ts";
import { compilePlan } from "./read-plan.ts";

/** Other numbers for some clients; each request names its plan. */
export const plans = { compile: checkPlans, steps: underPlan, compilePlan };
