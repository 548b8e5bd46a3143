import { plans as ofLimiter } from "./of-limiter.ts";
import { compilePlan } from "./read-plan.ts";

/** Other numbers for some clients; each request names its plan. */
export const plans = { ...ofLimiter, compilePlan };
