import type { Operation, Row, Slot } from "../algorithms/model.ts";
import type { CompiledPolicy } from "../policy/compile.ts";

export type { Slot } from "../algorithms/model.ts";

/** When a store has decided. */
export interface DecidedAt {
  /** The store's clock at the decision, in microseconds since 1970. Denials are dated by it. */
  readonly nowUs: number;
  /** Set if several masters decided, each by its own clock: what that showed, one per policy. */
  readonly clocksUs?: readonly number[];
}

/** A store's answer. */
export interface Reply extends DecidedAt {
  /** One per policy, in the order given. */
  readonly rows: readonly Row[];
  /** For a lease: how many units it took, 0 if it was denied. */
  readonly taken?: number;
  /** For a lease beside advisory policies: for each policy, how many of the units taken it had room for. */
  readonly charged?: readonly number[];
  /** Set if the store was not asked: its last answer, carried forward to now, with an estimated clock. */
  readonly estimated?: true;
}

/** Facts about a store, for a health check. */
export interface StoreFacts {
  readonly store: "redis" | "memory" | "durable-object";
  /** `upstash` if scripts declare that they lock only their keys. */
  readonly dialect?: "redis" | "upstash";
  /** Such as `7.2.4`, or `unknown`. */
  readonly version?: string;
  /** `open` while anything is suspended, `half-open` when the next request is a probe. */
  readonly breaker?: "closed" | "open" | "half-open";
  /** How many of the 16,384 hash slots are suspended; absent if none is. */
  readonly suspendedSlots?: number;
}

/**
 * Where counts are kept. Every implementation passes the same contract suite.
 *
 * The package brings all of them: pass `memoryStore()`, or `redis`. The interface is not meant to be implemented elsewhere, and
 * some of its types are not exported.
 */
export interface Store {
  /**
   * Decides one request against all policies at once: either every enforced policy takes its cost, or none does.
   *
   * @param keys one per policy; those of one partition have the same hash tag
   * @param costs one per policy: whole units from 0, for `consume` and `peek` at most the policy's limit; for `lease` all
   * the same; of a policy that counts denials, how many to charge in any case; of a `concurrency` policy, 0 for no slot
   * @param slot of a hold: what a `consume` takes of each `concurrency` policy. Without it, none is taken
   * @throws StoreError if there is no usable answer; the cost may have been taken all the same
   */
  decide(
    operation: Operation,
    keys: readonly string[],
    costs: readonly number[],
    policies: readonly CompiledPolicy[],
    slot?: Slot,
  ): Reply | Promise<Reply>;

  /**
   * The clock of a store that counts in this isolate, in microseconds since 1970. The limiter uses it instead of its own,
   * so that a test that moves this clock moves everything.
   */
  now?(): number;

  /**
   * Gives back what a `consume` took, to where it was taken: never more than was taken, and nothing where that is in
   * doubt. Give each take back once only: a second refund takes from what others have taken. A refund that fails is not
   * repeated either, because it may have run; the units then come back when the policy forgets them.
   *
   * Resolves with how many whole units came back, one number per policy, from 0 to its cost. A token bucket gives back what
   * it has not refilled since, rounded down here.
   *
   * @param keys those of the `consume`, all of them, and `policies`, too
   * @param costs whole units from 0, one per policy: how many of those it took; 0 if nothing shall come back
   * @param decidedAt the reply to that `consume`
   * @param slot of that `consume`: each `concurrency` policy gets it back, whatever the cost
   * @throws StoreError if there is no usable answer; the units may have come back all the same
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
   * Keeps the slots of a hold for longer: each that it still has expires `slot.ttlUs` from now, at most its policy's `ttl`,
   * even if it had longer left. No other slot is touched, and none is taken.
   *
   * @returns for each policy whether its slot is kept; `true` for a policy without slots
   * @throws StoreError if there is no usable answer; the slots may be kept all the same
   * @example
   * const kept = await store.extend?.(keys, policies, { id: hold.id, ttlUs: 60e6 });
   */
  extend?(
    keys: readonly string[],
    policies: readonly CompiledPolicy[],
    slot: Slot,
  ): readonly boolean[] | Promise<readonly boolean[]>;

  /**
   * Whether one decision can have several partitions without being undone in part. If not, a denial may end before its
   * time, because what another decision took comes back. Default: it can.
   *
   * @param prefix of the limiter's keys
   */
  spansPartitions?(prefix: string): boolean | Promise<boolean>;

  /** Forgets what was taken under these keys. */
  reset(keys: readonly string[]): void | Promise<void>;

  /** Reports facts about the store promptly, also during an outage. */
  inspect?(): Promise<StoreFacts>;
}
