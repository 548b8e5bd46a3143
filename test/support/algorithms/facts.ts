import type { Duration } from "../../../src/options/duration.ts";
import type { CompiledPolicy } from "../../../src/policy/compile.ts";
import type { CountingAlgorithm, Policy } from "../../../src/policy/policy.ts";
import type { Admission } from "../model/trailing-window.ts";
import type { Ledger, Terms } from "./ledger.ts";

/** How often Redis runs each command. */
type Commands = Readonly<Record<string, number>>;

/** The bound that an algorithm promises, by which the simulator adds up units without its formula. */
export type PromisedBound =
  /** The limit, in any trailing window. */
  | "trailing"
  /** The limit, in each window of the clock's grid. */
  | "grid"
  /** The limit, in a window of the grid with the part of the one before that a trailing window still covers. */
  | "weighted"
  /** In any span the limit, and `divisor` units for each `intervalUs`: the parameters of the algorithm have these names. */
  | "rate";

/** The numbers that a policy comes to. */
export interface Compiled {
  readonly policy: Policy;
  readonly name: string;
  /** In microseconds where they are times. */
  readonly parameters: readonly [number, number];
  /** In seconds. */
  readonly window: number;
}

/** Facts of an algorithm that only its author knows. Every test that needs one reads it here. */
export interface AlgorithmFacts {
  readonly algorithm: CountingAlgorithm;
  /**
   * A policy of `limit` units in each window; a bucket refills its limit in that time. Where its options cannot say that, such as of
   * very many units in a short window, the nearest that they can. It has no fault up to a limit of 10^9 and a window of 366 days, and
   * from a limit of 32 on it may have a lease.
   */
  of(limit: number, window: Duration, segments?: number): Policy;
  /** The commands of a first request, of an allowed one and of a denied one. */
  readonly commands: {
    readonly first: Commands;
    readonly allow: Commands;
    readonly deny: Commands;
  };
  /** How its state becomes as large as it can: by takes of `cost` units at these shares of a window, for the formula of memory. */
  readonly filled: readonly {
    readonly limit: number;
    readonly cost: number;
    readonly shares: readonly number[];
  }[];
  /** The longest wait that a client may be told, in windows. One more than the window itself for a full debt, a weighted window or a segment. */
  readonly longestWait: number;
  /** Microseconds that a client waits at most in the simulator, however the clock has stepped. */
  longestWaitUs(policy: CompiledPolicy, windowUs: number): number;
  /**
   * By how many units admissions broke the promise of the policy, as it was given; 0 or less if they did not. Times in
   * microseconds, never going down. It is asked about 100,000 admissions at once, so it takes a time that grows as they do.
   */
  excessOf(policy: CompiledPolicy, admissions: readonly Admission[]): number;
  /** The most units that any window of time may hold; absent where the promise is about every span instead. */
  readonly most?: (limit: number) => number;
  readonly promise: PromisedBound;
  /** What one client may be admitted, for floods of leased policies. */
  ledger(terms: Terms): Ledger;
  /**
   * The longest wait of a request of this cost where no charge has led into debt, in windows. Absent where it is one window.
   */
  readonly waitWithoutDebt?: (policy: Policy, cost: number) => number;
  /**
   * Set if units come back one after the other from their take on, not at the end of a window, as at a rate. Then a refund gives what
   * has not come back yet, in parts of a unit, and two settings that are alive at once admit what the largest limit and rate allow.
   */
  readonly refills?: true;
  /** How often a policy may change before units come back exactly: a log knows each unit. */
  readonly changesBeforeRefund?: number;
  /** How a lease tightens a policy: by a longer window, by a smaller limit, or not at all. */
  readonly tightens: "window" | "limit" | "nothing";
  /** Policies for an adversary: small and odd numbers. */
  readonly attacked: readonly Policy[];
  readonly compiled: readonly Compiled[];
}
