import type { Duration } from "../options/duration.ts";
import type { Hold } from "./hold.ts";
import type { Identity } from "./identify.ts";
import type { LimitOptions, Operations } from "./operations.ts";

/** Several policies that are always decided together. */
export interface Limiter extends Operations, Reserve {}

export interface ReserveOptions extends LimitOptions {
  /**
   * How long the hold keeps its slots of `concurrency` policies if it is neither settled nor extended; at most each policy's
   * own `ttl`. Range: `"1s"` to `"24h"`. Default: the policy's `ttl`.
   */
  readonly ttl?: Duration | undefined;
}

/** What a limiter with holds does besides. */
export interface Reserve {
  /**
   * As `limit()`, for a cost that is known only afterwards: takes an estimate now, and `settle()` of the hold corrects it.
   * Unlike `charge()` afterwards, it lets no concurrent request through on units that are spoken for. Policies with
   * `refundable: true` give back what was not needed.
   *
   * @throws TidegateError `ERR_IDENTITY`, `ERR_COST`, `ERR_PLAN`, `ERR_HOLD`
   * @example
   * const hold = await limiter.reserve("user:42", { cost: { tokens: 4000 } });
   * if (!hold.allowed) return hold.response();
   * await hold.settle({ tokens: 812 });
   */
  reserve(identity: Identity, options?: ReserveOptions): Promise<Hold>;
}
