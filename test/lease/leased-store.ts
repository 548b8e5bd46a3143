import { EVERY_FEATURE } from "../../src/features/every-feature.ts";
import { buildLimiter } from "../../src/limiter/limiter.ts";
import { DEFAULTS } from "../../src/limiter/settings.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import type { Reply, Store } from "../../src/store/store.ts";

/** The answers of an isolate with leases, row by row. It has no other knowledge, and fails where its store does. */
export interface LeasedStore {
  decide(
    operation: "consume" | "peek" | "charge",
    identity: string,
    cost: number,
  ): Promise<Pick<Reply, "rows">>;
  reset(identity: string): Promise<void>;
}

/** @param now the isolate's monotonic clock, in milliseconds */
export function leasedStore(
  inner: Store,
  policies: readonly CompiledPolicy[],
  { leaseUs, now }: { readonly leaseUs: number; readonly now: () => number },
): LeasedStore {
  const limiter = buildLimiter(
    inner,
    {
      ...DEFAULTS,
      policies: policies.map((policy) => ({ ...policy, leaseUs })),
      onFailure: "closed",
      maxDenials: 0,
      now,
    },
    EVERY_FEATURE,
  );
  return {
    async decide(operation, identity, cost) {
      const decision = await (operation === "charge"
        ? limiter.charge(identity, cost)
        : limiter[operation === "peek" ? "peek" : "limit"](identity, { cost }));
      if (decision.error) throw decision.error;
      return {
        rows: decision.policies.map(({ allowed, remaining, retryAfterMs, resetAfterMs }) => ({
          allowed,
          remaining,
          retryAfterUs: Math.round(retryAfterMs * 1000),
          resetAfterUs: Math.round(resetAfterMs! * 1000),
        })),
      };
    },
    reset: (identity) => limiter.reset(identity),
  };
}
