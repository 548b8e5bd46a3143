import type { Operation, Row } from "../algorithms/model.ts";
import { DRIFT } from "../denials/denial-cache.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { setRecent } from "../runtime/lru.ts";
import type { Reply, Store } from "../store/store.ts";
import { countDemand, createHolding, heldUnits, type Holding, spend } from "./holding.ts";

/** Fewer units are not worth it: some would expire, and hardly a call would be saved. */
const SMALLEST = 4;

/**
 * Identities of which demand is known. One that is busy enough for a lease is asked for eight times per lease, and an
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
 * A store that takes units of busy identities ahead, and serves requests of them until they are spent or a lease old.
 * What is not busy goes to the inner store one by one.
 *
 * A unit is spent at most one lease after the inner store took it, because its time is counted from the moment the
 * lease was asked for. So the policies are kept as they are meant if the inner store keeps the tightened ones.
 *
 * Nothing runs in the background: the request that finds too few units left for the length of a round trip asks for
 * the next ones and waits for them, while others go on spending.
 *
 * @param policies tightened; the same with each decision
 */
export function leasingStore(
  inner: Store,
  policies: readonly CompiledPolicy[],
  { leaseUs, now }: LeaseOptions,
): Store {
  const lengthMs = leaseUs / 1000;
  // After a lease that got less than it asked for, and until one is answered: what comes back meanwhile gathers in the
  // store, where it is everybody's. A quarter, so that it gathers less than a bucket holds, and is not old when it comes.
  const pause = lengthMs / 4;
  const endingWithWindow = policies.flatMap(({ implementation }, i) =>
    implementation.lease.endsWithWindow ? [i] : [],
  );
  const holdings = new Map<string, Holding>();
  /** The longest that the store took lately, fading: units have to last for that long while the next ones are fetched. */
  let roundTrip = 0;

  function holdingOf(key: string, time: number): Holding {
    const holding = holdings.get(key) ?? createHolding(time);
    setRecent(holdings, key, holding, MAX_HOLDINGS);
    return holding;
  }

  async function ask(operation: Operation, keys: readonly string[], cost: number): Promise<Reply> {
    const sentAt = now();
    const reply = await inner.decide(operation, keys, cost, policies);
    // No longer than a lease, which is too long: the clock may have leapt meanwhile.
    const took = Math.min(now() - sentAt, lengthMs);
    roundTrip = Math.max(took, roundTrip + (took - roundTrip) / 8);
    return reply;
  }

  /** Asks for one unit, for this request alone. */
  async function consume(holding: Holding, keys: readonly string[]): Promise<Reply> {
    let reply: Reply;
    try {
      reply = await ask("consume", keys, 1);
    } catch (error) {
      const time = now();
      if (heldUnits(holding, time) === 0) throw error;
      return spendHeld(holding, 1, time);
    }
    const time = now();
    const held = heldUnits(holding, time);
    if (held > 0 && reply.rows.some(({ allowed }) => !allowed)) return spendHeld(holding, 1, time);
    // A lease asked for meanwhile may have taken the last units: then they are here or on their way, and nobody has to
    // wait for as long as the store says.
    const pauseLeft = Math.ceil((holding.pausedUntil - time) * 1000);
    const most = held > 0 ? 0 : pauseLeft > 0 ? pauseLeft : Infinity;
    const rows = reply.rows.map((row) => ({
      ...row,
      retryAfterUs: Math.min(row.retryAfterUs, most),
    }));
    const shortened = { ...reply, rows };
    expectSilence(holding, shortened, time);
    return shortened;
  }

  /** Asks for several units at once, and leaves those that are held to others. */
  async function consumeSeveral(
    holding: Holding,
    keys: readonly string[],
    cost: number,
  ): Promise<Reply> {
    try {
      return await ask("consume", keys, cost);
    } catch (error) {
      // From here on it is decided without the store, which counts what was held among what is left.
      holding.grants = [];
      throw error;
    }
  }

  /** Asks for the next units, of which one is for this request. */
  async function renew(holding: Holding, keys: readonly string[], units: number): Promise<Reply> {
    const sentAt = now();
    const pausedUntil = sentAt + pause;
    holding.pausedUntil = pausedUntil;
    let reply: Reply;
    try {
      reply = await ask("lease", keys, units);
    } catch (error) {
      // What was said of the store before it failed is no reason to deny.
      holding.short = false;
      const time = now();
      if (heldUnits(holding, time) === 0) throw error;
      return spendHeld(holding, 1, time);
    }
    const { rows, taken = 0 } = reply;
    holding.answer = reply;
    holding.sentAt = sentAt;
    holding.short = rows.some(({ retryAfterUs }) => retryAfterUs > 0);
    if (!holding.short && holding.pausedUntil === pausedUntil) holding.pausedUntil = sentAt;
    const time = now();
    if (taken > 0) {
      const ends = endingWithWindow.map((i) => rows[i]!.resetAfterUs);
      const until = sentAt + (Math.min(leaseUs, ...ends) / 1000) * (1 - DRIFT);
      holding.grants.push({ units: taken - 1, until });
      return replyFromHolding(holding, time, true);
    }
    return heldUnits(holding, time) > 0
      ? spendHeld(holding, 1, time)
      : replyFromHolding(holding, time, false);
  }

  return {
    ...(inner.now && { now: () => inner.now!() }),

    decide(operation, keys, cost) {
      if (operation !== "consume") return inner.decide(operation, keys, cost, policies);
      const time = now();
      const holding = holdingOf(keys[0]!, time);
      const demand = countDemand(holding, cost, time, lengthMs);
      const held = heldUnits(holding, time);
      // Half of what a lease's time asks for: the rest is the margin in which it is spent before it expires.
      const units = Math.floor(demand / 2);
      // Where the store is far for a lease this short, it would be old when it comes.
      const busy = cost === 1 && units >= SMALLEST && roundTrip <= pause;
      const mayRenew = busy && time >= holding.pausedUntil;
      if (held >= cost) {
        const enough = held - cost >= (demand * roundTrip) / lengthMs;
        return enough || !mayRenew ? spendHeld(holding, cost, time) : renew(holding, keys, units);
      }
      if (mayRenew) return renew(holding, keys, units);
      if (busy && holding.short) return replyFromHolding(holding, time, false);
      return cost === 1 ? consume(holding, keys) : consumeSeveral(holding, keys, cost);
    },

    async reset(keys) {
      await inner.reset(keys);
      // With it goes what leases under way will bring: they bring it to a holding that nobody looks at any more.
      holdings.delete(keys[0]!);
    },
  };
}

function spendHeld(holding: Holding, cost: number, time: number): Reply {
  spend(holding, cost);
  return replyFromHolding(holding, time, true);
}

/** The reply to a request that held units serve, or that is denied because none are left: the latest answer as it stands now. */
function replyFromHolding(holding: Holding, time: number, allowed: boolean): Reply {
  const { answer, sentAt, pausedUntil } = holding;
  const elapsedUs = Math.round((time - sentAt) * 1000);
  const pauseLeft = Math.round((pausedUntil - time) * 1000);
  const held = heldUnits(holding, time);
  const rows = answer.rows.map(({ remaining, retryAfterUs, resetAfterUs }): Row => {
    // Of a policy that has no more, the next unit comes when its own wait is over, and not before leases are asked for
    // again.
    const waits = retryAfterUs > 0 && held === 0;
    const wait = waits ? Math.max(retryAfterUs - elapsedUs, pauseLeft, allowed ? 0 : 1) : 0;
    return {
      allowed: allowed || !waits,
      remaining: remaining + held,
      retryAfterUs: wait,
      resetAfterUs: Math.max(wait, resetAfterUs - elapsedUs),
    };
  });
  const reply = { nowUs: answer.nowUs + elapsedUs, rows, repeated: true } as const;
  expectSilence(holding, reply, time);
  return reply;
}

/** Whoever is told to wait may keep requests back for that long: that they do not come says nothing of the demand. */
function expectSilence(holding: Holding, { rows }: Reply, time: number): void {
  for (const { retryAfterUs } of rows) {
    holding.silentUntil = Math.max(holding.silentUntil, time + retryAfterUs / 1000);
  }
}
