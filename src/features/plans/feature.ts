import { limiterPlans } from "./limiter-plans.ts";
import { compilePlan } from "./read-plan.ts";

/** Other numbers for some clients; each request names its plan. */
export const plans = { ...limiterPlans, compilePlan };
