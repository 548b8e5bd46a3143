import type { CompiledPolicy } from "../../src/policy/compile.ts";

/** A policy's window in whole microseconds, rounded up; for a token bucket the time it takes to refill. */
export function windowOf({ windowUs, limit, parameters }: CompiledPolicy): number {
  const { intervalUs, divisor } = parameters;
  // Only a bucket's time can be a fraction of a microsecond: of others, multiplying back leaves a little too much.
  return intervalUs && divisor ? Math.ceil((limit * intervalUs) / divisor) : Math.round(windowUs);
}
