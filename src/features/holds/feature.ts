import { compileFailures } from "./failures.ts";
import { holds as ofLimiter } from "./of-limiter.ts";
import { needsHold, settlementOf } from "./settle-response.ts";

/**
 * `reserve()`, whose holds are settled, give back, and keep slots of `concurrency()`. In front of an origin, responses settle
 * what their requests reserved.
 */
export const holds = { ...ofLimiter, needsHold, compileFailures, settlementOf };
