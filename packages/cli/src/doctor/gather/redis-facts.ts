import type { RuleCommands } from "./commands.ts";

/** When a server was asked for the time, and its answer. All in milliseconds since 1970. */
export interface ClockSample {
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
  /** The other clock's time lay in this range. */
  readonly earliestMs: number;
  readonly latestMs: number;
}

/** How a decision by the limiter's own scripts went. */
export type DecisionProbe = { readonly ok: true } | { readonly ok: false; readonly error: string };

export interface SlowCommand {
  readonly name: string;
  readonly ms: number;
}

/** The facts that the names of some keys show. */
export interface SampledKeys {
  readonly sampled: number;
  /** How many are not the limiter's. */
  readonly foreign: number;
  /** Policies of which there are counts of two versions of Tidegate. */
  readonly inTwoLayouts: readonly string[];
}

export interface RedisFacts {
  readonly through: "rest" | "redis";
  /** Only its scheme and host matter. */
  readonly address: URL;
  readonly clock?: ClockSample;
  readonly roundTripsMs: readonly number[];
  readonly decision?: DecisionProbe;
  /** The commands of decisions by the configured rules. */
  readonly commands?: readonly RuleCommands[];
  readonly dialect?: "redis" | "upstash";
  readonly version?: string;
  /** Whether scripts cannot change what other scripts see, as since the fix of CVE-2025-46818. */
  readonly scriptsLocked?: boolean;
  readonly info?: ReadonlyMap<string, string>;
  /** By parameter; one that Redis does not tell is missing. */
  readonly config: ReadonlyMap<string, string>;
  /** The fields of CLUSTER INFO, of a cluster. */
  readonly cluster?: ReadonlyMap<string, string>;
  readonly slow?: readonly SlowCommand[];
  readonly keys?: SampledKeys;
}

/** A Redis that gives no answer at all. */
export interface UnreachableRedis {
  readonly through: "rest" | "redis";
  readonly address: URL;
  readonly reason: string;
}
