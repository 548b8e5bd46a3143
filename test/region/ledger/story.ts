import type { Plans } from "../../../src/features/plans.ts";
import type { Policy } from "../../../src/policy/policy.ts";

/** One call of an isolate, at a time in microseconds from the start. */
export interface Arrival {
  readonly kind: "limit" | "reserve" | "charge" | "peek" | "reset";
  readonly cost: Readonly<Record<string, number>>;
  readonly at: number;
  readonly region: number;
  readonly isolate: number;
  readonly identity: Readonly<Record<string, string>>;
  readonly plan: string | undefined;
  /** Whether a limiter without the region decides it. */
  readonly isPlain?: boolean;
}

/** The policies as their user wrote them, at one time. */
export interface Version {
  readonly policies: readonly Policy[];
  readonly plans: Plans;
}

/** The shares by which a server's clock is fast, and what happens to it. Times are microseconds from the start. */
export interface Server {
  readonly pace: number;
  readonly offsetUs: number;
  readonly clockSteps: readonly { readonly at: number; readonly by: number }[];
  readonly flushes: readonly number[];
  isDead(passedUs: number): boolean;
}

export interface Region extends Server {
  /** Half of the trips to the store nearby and to home, in microseconds. */
  readonly nearbyUs: number;
  readonly homeUs: number;
}

export interface Story {
  readonly seed: number;
  readonly spanUs: number;
  /** Whether the stores nearby are objects, one for each partition, instead of a Redis. */
  readonly hasObjects: boolean;
  /** Whether calls are lost, late and repeated. */
  readonly trouble: boolean;
  readonly termMs: number;
  readonly credit: number;
  /** The promised number of regional stores: one that loses its memory counts twice. */
  readonly stores: number;
  /** The policies at first, and after a change. */
  readonly versions: readonly Version[];
  readonly changeAt: number | undefined;
  readonly isolates: number;
  readonly remembersDenials: boolean;
  readonly onFailure: "closed" | "local";
  readonly home: Server;
  readonly regions: readonly Region[];
  /** When isolates die; each is followed by another one. */
  readonly deaths: readonly {
    readonly at: number;
    readonly region: number;
    readonly isolate: number;
  }[];
  readonly arrivals: readonly Arrival[];
}
