import { DRIFT } from "../../decide/denial-cache.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import { AUTO_LEASE, leaseBoundOf } from "../../policy/tighten.ts";
import { setRecent } from "../../runtime/lru.ts";
import type { Store } from "../../store/store.ts";
import { autoUnits } from "./auto-lease.ts";
import { countDemand, createHolding, demandOf, type Holding, leasedUnits } from "./holding.ts";
import {
  createLeaseAccess,
  type LeaseAccess,
  type LeaseAction,
  type LeaseDraft,
  type LeaseTerms,
} from "./lease-access.ts";

/**
 * Partitions whose demand is tracked. A partition hot enough for a lease sends eight requests per lease, and an isolate
 * does not serve this many other partitions in between.
 */
const MAX_HOLDINGS = 1_000;

/**
 * Quota that an isolate reserves in advance, of policies that share a partition key: it takes several units at once and
 * serves requests from them until they are spent or expire.
 *
 * A unit is spent at most one lease after the store took it, because a lease is timed from its request. So the original
 * policies hold if the store enforces the tightened ones.
 *
 * There is no background work: the first request that finds too few units for a round trip requests the next lease and
 * waits for it, while others go on spending.
 */
export interface Leases {
  /** Counts the demand of a request, and drafts how to serve it. No unit is spent yet. */
  access(partition: string, cost: number): LeaseAccess;
  /** Whether leased units would serve a request, and leave enough for the next ones. Counts no demand. */
  covers(partition: string, cost: number): boolean;
  /** Counts the demand of a request that is denied before the lease is read. */
  countDenied(partition: string, cost: number): void;
  /** Drops leased units. A lease that is answered later is ignored. */
  forget(partition: string): void;
}

/**
 * @param policies tightened, advisory ones last
 * @param leaseUs how long leased units may be spent
 * @param isAuto whether the isolate chooses leases by itself: then the store decides near the limit
 * @param now the isolate's monotonic clock, in milliseconds
 */
export function createLeases(
  store: Store,
  policies: readonly CompiledPolicy[],
  { leaseUs, isAuto }: { readonly leaseUs: number; readonly isAuto: boolean },
  now: () => number,
): Leases {
  const lengthMs = leaseUs / 1000;
  // No other lease is requested until a lease is answered, and for a while after one that got fewer units than
  // requested, so that returning units gather in the store for all isolates. A quarter of a lease: less than it takes
  // to fill a bucket, and the units are still fresh when they arrive.
  const pauseMs = lengthMs / 4;
  // A policy that never denies does not delay leases.
  const enforced = [...policies.entries()].filter(([, { role }]) => role !== "advisory");
  const bounds = policies.map(leaseBoundOf);
  // More would leave too little of what leases may cost for the next one.
  const mostReserved = Math.min(...enforced.map(([i]) => bounds[i]!.most)) / 3;
  const endingWithWindow = policies.flatMap(({ implementation }, i) =>
    implementation.lease.endsWithWindow ? [i] : [],
  );
  const holdings = new Map<string, Holding>();
  /**
   * The recent maximum of the store's response time, decaying: leased units have to last that long while the next lease
   * is on its way.
   */
  let roundTripMs = 0;

  const terms: LeaseTerms = {
    now,
    pauseMs,
    enforced: enforced.length,

    async request(keys, units, request) {
      const sentAtMs = now();
      const costs = policies.map(() => units);
      const lease = { ...request, bounds };
      const reply = await store.decide("lease", keys, costs, policies, undefined, lease);
      terms.noteRoundTrip(sentAtMs);
      const ends = endingWithWindow.map((i) => reply.rows[i]!.resetAfterUs);
      const untilMs = sentAtMs + (Math.min(leaseUs, ...ends) / 1000) * (1 - DRIFT);
      return { reply, sentAtMs, untilMs };
    },

    noteLeft(holding, rows) {
      holding.left = Math.min(...enforced.map(([i]) => rows[i]!.remaining));
    },

    noteRoundTrip(sentAtMs) {
      // At most one lease, because the clock may have jumped.
      const tookMs = Math.min(now() - sentAtMs, lengthMs);
      roundTripMs = Math.max(tookMs, roundTripMs + (tookMs - roundTripMs) / 8);
    },
  };

  function holdingOf(partition: string, nowMs: number): Holding {
    const holding = holdings.get(partition) ?? createHolding(nowMs);
    setRecent(holdings, partition, holding, MAX_HOLDINGS);
    return holding;
  }

  /** Drafts how to serve a request, given the units requested within one lease. */
  function draft(holding: Holding, cost: number, demand: number, nowMs: number): LeaseDraft {
    const leased = leasedUnits(holding, nowMs);
    // The demand while the next lease is on its way, and its variation. If the store has no more units, an earlier
    // lease gets fewer.
    const meanwhile = (demand * roundTripMs) / lengthMs;
    const reserve = Math.min(mostReserved, meanwhile + (holding.short ? 0 : Math.sqrt(meanwhile)));
    // Half of the demand within one lease, so that the units are spent well before they expire.
    const half = Math.floor(demand / 2);
    const large = isAuto ? Math.min(half, autoUnits({ left: holding.left, meanwhile })) : half;
    // A lease from a store this far away would be nearly expired when it arrives.
    const busy = cost === 1 && large >= AUTO_LEASE.smallest && roundTripMs <= pauseMs;
    const mayRenew = busy && nowMs >= holding.pausedUntilMs;
    const enough = leased - cost >= reserve;
    const action = (): LeaseAction => {
      if (leased >= cost && (enough || !mayRenew)) return "spend";
      if (mayRenew) return "renew";
      return leased < cost && busy && holding.short && !isAuto ? "deny" : "ask";
    };
    return { action: action(), cost, units: large };
  }

  return {
    access(partition, cost) {
      const nowMs = now();
      const holding = holdingOf(partition, nowMs);
      const demand = countDemand(holding, leasable(cost), nowMs, lengthMs);
      return createLeaseAccess(terms, holding, draft(holding, cost, demand, nowMs));
    },

    covers(partition, cost) {
      const holding = holdings.get(partition);
      if (!holding) return false;
      const nowMs = now();
      const demand = demandOf(holding, nowMs, lengthMs) + leasable(cost);
      return draft(holding, cost, demand, nowMs).action === "spend";
    },

    countDenied(partition, cost) {
      const nowMs = now();
      countDemand(holdingOf(partition, nowMs), leasable(cost), nowMs, lengthMs);
    },

    forget: (partition) => void holdings.delete(partition),
  };
}

/** The demand of a request for leases. Units that are leased for a greater cost would wait for another one, and expire. */
function leasable(cost: number): number {
  return cost === 1 ? 1 : 0;
}
