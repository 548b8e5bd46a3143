import type { Finding } from "../finding.ts";
import type { RedisFacts, UnreachableRedis } from "../gather/redis-facts.ts";
import { percentile } from "./redis-reach.ts";

/** A lease that a policy asks for: its length, or why it never has one. */
export type WantedLease =
  | { readonly policy: string; readonly leaseMs: number }
  | { readonly policy: string; readonly never: "limit" | "window" };

/** An answer that takes longer than this share of a lease arrives when the lease is nearly over, and none is asked for. */
const LARGEST_SHARE = 1 / 4;

const NEVER = {
  limit: "its limit, also of a plan or of a policy beside it, is below 32 units",
  window:
    "its window, or that of a policy beside it, is too short for a lease, or it cannot be leased at all",
} as const;

/** Leases that save no calls, with the reason. */
export function checkLeases(
  leases: readonly WantedLease[],
  redis: RedisFacts | UnreachableRedis | undefined,
): Finding[] {
  const roundTripMs =
    redis === undefined || "reason" in redis ? undefined : percentile(redis.roundTripsMs, 0.5);
  const idle = leases.flatMap((lease) => {
    const why = reasonOf(lease, roundTripMs);
    return why === undefined ? [] : [`${lease.policy}: ${why}`];
  });
  if (idle.length === 0) return [];
  return [
    {
      id: "lease-saves-nothing",
      severity: "note",
      title: "A lease saves no calls of Redis",
      evidence: idle.join("; "),
      remedy:
        "Give a bucket more seconds of refill, a window more length, or put Redis nearer to the limiter; or leave the lease out (docs/hot-keys.md has a table).",
    },
  ];
}

function reasonOf(lease: WantedLease, roundTripMs: number | undefined): string | undefined {
  if ("never" in lease) return NEVER[lease.never];
  const mostMs = lease.leaseMs * LARGEST_SHARE;
  if (roundTripMs === undefined || roundTripMs <= mostMs) return undefined;
  return `a lease of ${lease.leaseMs} ms needs an answer within ${mostMs} ms, and half of the round trips from here take ${roundTripMs.toFixed(1)} ms or more`;
}
