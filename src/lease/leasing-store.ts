import type { Operation } from "../algorithms/model.ts";
import { DRIFT } from "../denials/denial-cache.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { setRecent } from "../runtime/lru.ts";
import type { Reply, Store } from "../store/store.ts";
import { expectSilence, replyFromHolding, spendHeld } from "./held-reply.ts";
import { countDemand, createHolding, heldUnits, type Holding } from "./holding.ts";

/** A lease of fewer units saves hardly a call, and some would expire. */
const SMALLEST = 4;

/**
 * Identities whose demand is tracked. One that is hot enough for a lease sends eight requests per lease, and an
 * isolate does not serve this many others in between.
 */
const MAX_HOLDINGS = 1_000;

export interface LeaseOptions {
  /** How long leased units may be spent. */
  readonly leaseUs: number;
  /** The isolate's monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/**
 * Reserves quota for hot identities in advance: it takes several units at once and serves requests from them until
 * they are spent or expire. Other identities go to the inner store one request at a time.
 *
 * A unit is spent at most one lease after the inner store took it, because a lease is timed from its request. So the
 * given policies hold if the inner store enforces the tightened ones.
 *
 * Nothing runs in the background: the request that finds too few units for the length of a round trip requests the
 * next lease and waits for it, while others go on spending.
 *
 * Decisions by other policies, such as those of a plan, of one dimension or in shadow, ask the inner store.
 *
 * @param policies tightened
 */
export function leasingStore(
  inner: Store,
  policies: readonly CompiledPolicy[],
  { leaseUs, now }: LeaseOptions,
): Store {
  const lengthMs = leaseUs / 1000;
  // Until a lease is answered, and after one that got less than it asked for, no other is requested, so that
  // returning units gather in the store for everybody. A quarter of a lease: less than it takes to fill a bucket, and
  // the units are still fresh when they arrive.
  const pauseMs = lengthMs / 4;
  const endingWithWindow = policies.flatMap(({ implementation }, i) =>
    implementation.lease.endsWithWindow ? [i] : [],
  );
  /** Units in hand are for one identity and all policies. Those that not all share would be counted wrongly. */
  const isLeasable = policies.every(({ role, by }) => role === "enforced" && by === undefined);
  const holdings = new Map<string, Holding>();
  /**
   * The recent maximum of the store's response time, decaying: held units have to last that long while the next are
   * fetched.
   */
  let roundTripMs = 0;

  function holdingOf(key: string, nowMs: number): Holding {
    const holding = holdings.get(key) ?? createHolding(nowMs);
    setRecent(holdings, key, holding, MAX_HOLDINGS);
    return holding;
  }

  async function ask(operation: Operation, keys: readonly string[], cost: number): Promise<Reply> {
    const sentAtMs = now();
    const reply = await inner.decide(
      operation,
      keys,
      policies.map(() => cost),
      policies,
    );
    // At most one lease, because the clock may have jumped.
    const tookMs = Math.min(now() - sentAtMs, lengthMs);
    roundTripMs = Math.max(tookMs, roundTripMs + (tookMs - roundTripMs) / 8);
    return reply;
  }

  /** Takes one unit from the store, for this request alone. */
  async function consume(holding: Holding, keys: readonly string[]): Promise<Reply> {
    let reply: Reply;
    try {
      reply = await ask("consume", keys, 1);
    } catch (error) {
      const nowMs = now();
      if (heldUnits(holding, nowMs) === 0) throw error;
      return spendHeld(holding, 1, nowMs);
    }
    const nowMs = now();
    const held = heldUnits(holding, nowMs);
    if (held > 0 && reply.rows.some(({ allowed }) => !allowed)) return spendHeld(holding, 1, nowMs);
    // A concurrent lease may have taken the last units, which are here or on their way. Then nobody has to wait as
    // long as the store says.
    const pauseLeftUs = Math.ceil((holding.pausedUntilMs - nowMs) * 1000);
    const mostUs = held > 0 ? 0 : pauseLeftUs > 0 ? pauseLeftUs : Infinity;
    const rows = reply.rows.map((row) => ({
      ...row,
      retryAfterUs: Math.min(row.retryAfterUs, mostUs),
    }));
    const shortened = { ...reply, rows };
    expectSilence(holding, shortened, nowMs);
    return shortened;
  }

  /** Takes several units from the store, and leaves the held ones to other requests. */
  async function consumeSeveral(
    holding: Holding,
    keys: readonly string[],
    cost: number,
  ): Promise<Reply> {
    try {
      return await ask("consume", keys, cost);
    } catch (error) {
      // The fallback decides now, and it counts held units as part of what is left.
      holding.grants = [];
      throw error;
    }
  }

  /** Requests the next lease, one unit of which is for this request. */
  async function renew(holding: Holding, keys: readonly string[], units: number): Promise<Reply> {
    const sentAtMs = now();
    const pausedUntilMs = sentAtMs + pauseMs;
    holding.pausedUntilMs = pausedUntilMs;
    let reply: Reply;
    try {
      reply = await ask("lease", keys, units);
    } catch (error) {
      // The last answer before a failure is no reason to deny.
      holding.short = false;
      const nowMs = now();
      if (heldUnits(holding, nowMs) === 0) throw error;
      return spendHeld(holding, 1, nowMs);
    }
    const { rows, taken = 0 } = reply;
    holding.answer = reply;
    holding.sentAtMs = sentAtMs;
    holding.short = rows.some(({ retryAfterUs }) => retryAfterUs > 0);
    if (!holding.short && holding.pausedUntilMs === pausedUntilMs) holding.pausedUntilMs = sentAtMs;
    const nowMs = now();
    if (taken > 0) {
      const ends = endingWithWindow.map((i) => rows[i]!.resetAfterUs);
      const untilMs = sentAtMs + (Math.min(leaseUs, ...ends) / 1000) * (1 - DRIFT);
      holding.grants.push({ units: taken - 1, untilMs });
      return replyFromHolding(holding, nowMs, true);
    }
    return heldUnits(holding, nowMs) > 0
      ? spendHeld(holding, 1, nowMs)
      : replyFromHolding(holding, nowMs, false);
  }

  return {
    ...(inner.now && { now: () => inner.now!() }),

    decide(operation, keys, costs, asked) {
      const cost = costs[0]!;
      const alike = isLeasable && asked.every((policy, i) => policy === policies[i]);
      if (operation !== "consume" || !alike || costs.some((other) => other !== cost)) {
        return inner.decide(operation, keys, costs, asked);
      }
      const nowMs = now();
      const holding = holdingOf(keys[0]!, nowMs);
      const demand = countDemand(holding, cost, nowMs, lengthMs);
      const held = heldUnits(holding, nowMs);
      // Half of the demand within one lease, so that the units are spent well before they expire.
      const units = Math.floor(demand / 2);
      // A lease from a store this far away would be nearly expired when it arrives.
      const busy = cost === 1 && units >= SMALLEST && roundTripMs <= pauseMs;
      const mayRenew = busy && nowMs >= holding.pausedUntilMs;
      if (held >= cost) {
        const enough = held - cost >= (demand * roundTripMs) / lengthMs;
        return enough || !mayRenew ? spendHeld(holding, cost, nowMs) : renew(holding, keys, units);
      }
      if (mayRenew) return renew(holding, keys, units);
      if (busy && holding.short) return replyFromHolding(holding, nowMs, false);
      return cost === 1 ? consume(holding, keys) : consumeSeveral(holding, keys, cost);
    },

    async reset(keys) {
      await inner.reset(keys);
      // Leases in flight then add their units to a holding that nobody reads any more.
      holdings.delete(keys[0]!);
    },
  };
}
