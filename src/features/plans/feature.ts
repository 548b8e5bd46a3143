import { plans as ofLimiter } from "./of-limiter.ts";
import { compilePlan } from "./read-plan.ts";

/** Other numbers for some clients; a request says which. */
export const plans = { ...ofLimiter, compilePlan };
