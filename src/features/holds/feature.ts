import { compileFailures } from "./failures.ts";
import { limiterHolds } from "./limiter-holds.ts";
import { needsHold, settlementOf } from "./settle-response.ts";

/**
 * `reserve()`, whose holds are settled, give units back, and keep slots of `concurrency()`. In front of an origin,
 * responses settle their requests' reservations.
 */
export const holds = { ...limiterHolds, needsHold, compileFailures, settlementOf };
