import type { Operation, Row, Slot } from "../algorithms/model.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { LeaseBound } from "../policy/tighten.ts";

export type { Slot } from "../algorithms/model.ts";

/** The time of a store's decision. */
export interface DecidedAt {
  /** The store's clock at the decision, in microseconds since 1970. It dates denials. */
  readonly nowUs: number;
  /** Set if several masters decided, each by its own clock: their times, one per policy. */
  readonly clocksUs?: readonly number[];
}

/** A store's answer. */
export interface Reply extends DecidedAt {
  /** One per policy, in the caller's order. */
  readonly rows: readonly Row[];
  /** Only for a lease: the units that it took, 0 if it was denied. */
  readonly leased?: number;
  /** Only for a lease: for each policy, the epoch of the account that counts these units as unspent; 0 without one. */
  readonly epochs?: readonly number[];
  /** Only for a lease beside advisory policies: for each policy, the number of taken units that it had room for. */
  readonly charged?: readonly number[];
  /** Set if `nowUs` says nothing about the clock of other answers: it is projected to now, or that of another store. */
  readonly estimated?: true;
  /** Set if a regional store denied, because its home had no units left by an earlier answer. */
  readonly isFromRegion?: true;
}

/** The parts of a request for a lease besides its units. */
export interface LeaseRequest {
  /** 1 if the first unit goes to a request that nothing else can deny, so that it cannot be lost; else 0. */
  readonly own: number;
  /** For each policy, the units that leases may cost. */
  readonly bounds: readonly LeaseBound[];
  /** Units of earlier leases that this isolate has spent since its last request. */
  readonly spent: readonly SpentUnits[];
}

/** Spent units, for the accounts that have them as unspent. */
export interface SpentUnits {
  readonly units: number;
  /** For each policy, the epoch of its account that counts them. */
  readonly epochs: readonly number[];
}

/** The units that a region asks of one policy beside the cost of a request. */
export interface RegionOrder {
  /** The most units for the region. */
  readonly most: number;
  /** How many of these are taken from whatever is left; further ones only from an eighth of it. */
  readonly need: number;
  /** Units that the region has admitted on credit: they are charged in any case. */
  readonly owed: number;
}

/** The answer to a region. */
export interface TakenReply extends Reply {
  /** For each policy, the units for the region. */
  readonly taken: readonly number[];
  /** For each policy, how long one more unit has to wait, in microseconds; 0 if not at all. */
  readonly againUs: readonly number[];
}

/** Facts about a store, for a health check. */
export interface StoreFacts {
  readonly store: "redis" | "memory" | "durable-object";
  /** `upstash` if scripts declare that they lock only their keys. */
  readonly dialect?: "redis" | "upstash";
  /** Such as `7.2.4`, or `unknown`. */
  readonly version?: string;
  /** `open` while any part is suspended, `half-open` when the next request is a probe. */
  readonly breaker?: "closed" | "open" | "half-open";
  /** The number of suspended hash slots, of 16,384; absent if none is. */
  readonly suspendedSlots?: number;
  /** The stores nearby; absent without a region. */
  readonly regions?: readonly RegionFacts[];
}

/** Facts about a store nearby. */
export interface RegionFacts {
  readonly name: string;
  /** The code of the error with which it answers now. */
  readonly code?: string;
}

/**
 * Stores the counts. Every implementation passes the same contract suite.
 *
 * The package includes all of them: pass `memoryStore()`, or `redis`. The interface is not meant to be implemented
 * elsewhere, and some of its types are not exported.
 */
export interface Store {
  /**
   * Decides one request against all policies at once: either every enforced policy takes its cost, or none does.
   *
   * @param keys one per policy; those of one partition have the same hash tag
   * @param costs one per policy: whole units from 0, for `consume` and `peek` at most the policy's limit; for `lease`
   * one number for all; for a policy that counts denials, the number to charge in any case; for a `concurrency` policy,
   * 0 for no slot
   * @param slot of a hold: the slot that a `consume` takes of each `concurrency` policy. Without it, no slot is taken
   * @param lease for `lease`, its bounds. Without them, it takes what the policies have room for
   * @throws StoreError if there is no usable answer; the cost may have been taken anyway
   */
  decide(
    operation: Operation,
    keys: readonly string[],
    costs: readonly number[],
    policies: readonly CompiledPolicy[],
    slot?: Slot,
    lease?: LeaseRequest,
  ): Reply | Promise<Reply>;

  /**
   * The clock of a store that counts in this isolate, in microseconds since 1970. The limiter uses it instead of its
   * own, so that a test can move all times with this clock.
   */
  now?(): number;

  /**
   * Gives units of a `consume` back to their keys: never more than it took, and none in doubt. Refund each `consume`
   * only once: a second refund would give back the units of other requests. Do not repeat a failed refund, because it
   * may have run; the units then come back when their window ends or they refill.
   *
   * Resolves with the whole units that came back, one number per policy, from 0 to its cost. A token bucket gives back
   * the units that it has not refilled since, rounded down here.
   *
   * @param keys all keys of the `consume`; `policies` likewise
   * @param costs the units to give back, one whole number from 0 per policy, at most those it took
   * @param decidedAt the reply to that `consume`
   * @param slot of that `consume`: each `concurrency` policy gets it back, for any cost
   * @throws StoreError if there is no usable answer; the units may have come back anyway
   * @example
   * const reply = await store.decide("consume", keys, [5], policies);
   * const [given] = await store.refund!(keys, [3], policies, reply);
   */
  refund?(
    keys: readonly string[],
    costs: readonly number[],
    policies: readonly CompiledPolicy[],
    decidedAt: DecidedAt,
    slot?: Slot,
  ): readonly number[] | Promise<readonly number[]>;

  /**
   * Extends the slots of a hold: each remaining slot expires `slot.ttlUs` from now, at most its policy's `ttl`, even if
   * it had longer left. It affects no other slot, and takes none.
   *
   * @returns for each policy whether its slot is kept; `true` for a policy without slots
   * @throws StoreError if there is no usable answer; the slots may be extended anyway
   * @example
   * const kept = await store.extend?.(keys, policies, { id: hold.id, ttlUs: 60e6 });
   */
  extend?(
    keys: readonly string[],
    policies: readonly CompiledPolicy[],
    slot: Slot,
  ): readonly boolean[] | Promise<readonly boolean[]>;

  /**
   * Decides what a region could not: as a `consume` does, with a cost of 0 for each policy that the region has decided. It also
   * takes the region's next units. Only for enforced policies.
   *
   * @throws StoreError if there is no usable answer; the cost and the units may have been taken anyway
   */
  take?(
    keys: readonly string[],
    costs: readonly number[],
    policies: readonly CompiledPolicy[],
    orders: readonly RegionOrder[],
  ): Promise<TakenReply>;

  /**
   * Whether one decision can have several partitions without a partial give-back. If not, a denial may end early,
   * because units of another decision come back. Default: it can.
   *
   * @param prefix of the limiter's keys
   */
  spansPartitions?(prefix: string): boolean | Promise<boolean>;

  /** Notes the cost of a request that the isolate denied without asking: a region plans by the demand. */
  noteDenied?(keys: readonly string[], costs: readonly number[]): void;

  /** Deletes the counts of these keys. */
  reset(keys: readonly string[]): void | Promise<void>;

  /** Reports facts about the store promptly, also during an outage. */
  inspect?(): Promise<StoreFacts>;
}
