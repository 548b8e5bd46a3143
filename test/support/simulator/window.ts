import type { CompiledPolicy } from "../../../src/policy/compile.ts";

/** A policy's window in whole microseconds, rounded up; for a token bucket the time it takes to refill. */
export function windowOf({ algorithm, window, limit, parameters: [a, b] }: CompiledPolicy): number {
  // Only a bucket's time can be a fraction of a microsecond: of others, multiplying back leaves a little too much.
  return algorithm === "token-bucket" ? Math.ceil((limit * a) / b) : Math.round(window * 1e6);
}
