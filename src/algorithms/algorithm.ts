import type { Duration } from "../options/duration.ts";
import type { Faults } from "../options/faults.ts";
import type { Sources } from "../partition/source.ts";
import type { AlgorithmModel } from "./model.ts";

/** Above 10^9, products of a limit and a time exceed 2^53, up to which Lua and JavaScript count exactly. */
export const MAX_LIMIT = 1_000_000_000;

/** What a policy answers while Redis gives no usable answer. */
export type FailureVerdict =
  /** Let the request pass. */
  | "open"
  /** Deny it with 503. */
  | "closed"
  /** Enforce the same policy in this isolate's memory. */
  | "local"
  /**
   * As `"local"`, with this share of the limit and of the refill in each isolate, so that several isolates together
   * admit about the limit. Range of `share`: above 0 to 1.
   */
  | { readonly local: { readonly share: number } };

/** The options that every algorithm has besides its numbers. */
export interface CommonOptions {
  /**
   * Names the policy in keys and header fields: letters, digits, `.`, `_` and `-`, starting with a letter
   * or digit.
   *
   * Policies with the same name share one count per identity across all limiters with the same Redis and `prefix`. So
   * do unnamed policies with equal numbers: name them to count them apart. Range: 1 to 64 characters. Default: made from
   * the numbers, such as `token-bucket-20-10-per-1s`.
   */
  readonly name?: string;
  /**
   * Whether clients are told of the policy: with `false` it decides like any other and `decision.policies` has its row,
   * but no header field and no problem document names it or its numbers. `Retry-After` still waits for it. Default:
   * `true`.
   */
  readonly advertise?: boolean;
  /** Overrides the limiter's `onFailure` for this policy. Default: the limiter's. */
  readonly onFailure?: FailureVerdict;
  /**
   * The dimension of the identity that this policy counts by, such as `"ip"` or `"key"`; `"*"` counts all requests
   * together. Either all policies of a limiter have it, or none has. For `createLimiter()`; rules and middleware have
   * `partition`. Default: the whole identity.
   *
   * @example
   * tokenBucket({ name: "address", by: "ip", limit: 20, refill: 10, per: "1s" })
   */
  readonly by?: string;
  /**
   * In rules and middleware: who this policy counts, as a list of sources or `"*"`. Default: the rule's `partition`.
   *
   * @example
   * tokenBucket({ name: "address", partition: ["ip"], limit: 200, refill: 100, per: "1s" })
   */
  readonly partition?: Sources;
  /**
   * In rules and middleware: what happens to requests without the identity. `"skip"` leaves this policy out of their
   * decision; at least one enforced policy must not skip. A shadow policy skips where the others reject. Default: the
   * rule's.
   */
  readonly onMissing?: "share" | "reject" | "skip";
  /**
   * `"enforce"` denies. `"shadow"` decides and counts, but never denies, and clients do not see it: `decision.shadow` says
   * what it would have done. `"soft"` never denies either; it is in the header fields, and the origin of a
   * gateway and the route behind Vercel's middleware learn from the request's field `Tidegate-Over` which policies are over
   * their limits. Default: `"enforce"`.
   */
  readonly mode?: Mode;
  /**
   * What is counted: `"requests"`, or `"denials"`: one unit whenever another policy of the decision denies. While such a
   * policy has no room, it denies every request, so it bans clients that keep coming. Another policy has to count requests: of the
   * limiter, or of any rule of the gateway. Denials that the isolate knows without asking Redis count with the next
   * request that asks it. Default: `"requests"`.
   *
   * @example
   * fixedWindow({ name: "ban", counts: "denials", limit: 20, window: "1h" })
   */
  readonly counts?: Counts;
  /** Overrides the limiter's `retryJitter` for this policy. Range: 0 to 1. Default: the limiter's. */
  readonly retryJitter?: number;
  /**
   * Overrides the limiter's `lease` for this policy: only its quota is reserved in advance, and policies of other dimensions
   * stay exact. All policies of one dimension need the same lease, and none of them may count denials. Range: `"10ms"` to `"10s"`.
   * Default: the limiter's.
   *
   * @example
   * fixedWindow({ name: "everyone", by: "*", limit: 1_000_000, window: "1h", lease: "100ms" })
   */
  readonly lease?: Duration;
  /**
   * Splits the limit of a hot identity over this many keys, which a Redis Cluster spreads over its masters. A request asks
   * one of them, at most two, so that `remaining` is what that shard has left: at least so much is left in all. All shards
   * together never admit more than the policy. A request may cost at most the smallest shard's limit, `limit / shards`
   * rounded down. Cannot be combined with `lease` or `counts: "denials"`; for `createLimiter()`, rules and middleware.
   * A change of `shards` starts parts of the count anew. Range: 2 to 64, at most the limit. Default: one key.
   *
   * @example
   * fixedWindow({ name: "everyone", by: "*", limit: 1_000_000, window: "1h", shards: 8 })
   */
  readonly shards?: number;
}

/** Whether a policy denies requests, see `CommonOptions.mode`. */
export type Mode = "enforce" | "shadow" | "soft";

/** What a policy counts, see `CommonOptions.counts`. */
export type Counts = "requests" | "denials";

/** A policy as its builder returns it: the options, the algorithm's name, and its implementation. */
export type PolicyOf<Name extends string, Options> = Options & {
  readonly algorithm: Name;
  readonly [IMPLEMENTATION]: Implementation;
};

/** Where a policy carries its implementation: out of the way of its data, and copied by a spread. */
export const IMPLEMENTATION = Symbol("implementation");

/** The values that an option may have. */
export type OptionKind =
  /** A whole number from 1 to `max`. */
  | { readonly kind: "integer"; readonly max: number; readonly default?: number }
  /** A time from 1 ms to 366 days, such as `"10s"`. */
  | { readonly kind: "duration" };

/** What a policy's options amount to. */
export interface Quota<Parameters> {
  readonly limit: number;
  /** The length of the window; for a token bucket, the time it takes to refill. */
  readonly windowUs: number;
  readonly parameters: Parameters;
}

/** A part of a quota, as an exact fraction. */
export interface Share {
  readonly part: number;
  readonly whole: number;
}

/**
 * Everything in which one algorithm differs from the others. A policy carries it, so that a bundle contains only the
 * algorithms that its code uses.
 *
 * @typeParam Values its options: integers as they are, durations in microseconds
 * @typeParam Parameters the two numbers that its script takes besides the limit
 */
export interface AlgorithmDefinition<
  Values extends object,
  Parameters extends Readonly<Record<string, number>>,
  State,
> {
  readonly name: string;
  /**
   * Ends its keys, so that two algorithms under one name count apart: neither could read the other's state. One letter,
   * because every key in Redis stores it.
   */
  readonly code: string;
  readonly maxLimit: number;
  /** Completes the remedy for a limit that is too large. */
  readonly limitHint?: string;
  /** Its options besides `limit` and those of every policy. */
  readonly options: { readonly [Name in keyof Values]: OptionKind };
  /** What a policy without a name is called after. */
  readonly nameParts: (policy: Readonly<Record<string, unknown>>) => readonly unknown[];
  /** Computes the script's parameters. Faults that concern several options together are added under `path`. */
  readonly quotaOf: (
    limit: number,
    values: Values,
    path: string,
    faults: Faults,
  ) => Quota<Parameters>;
  /** The names of the parameters, in the order in which the script takes them. */
  readonly parameters: readonly [keyof Parameters & string, keyof Parameters & string];
  /** How long a key is kept after a write, as its Lua file takes it; 0 where the script computes it. */
  readonly ttl: (quota: Quota<Parameters>) => number;
  /**
   * The quota that keeps what was consumed in units when a policy of the same name gets other numbers. Left out where the
   * state is counts of units, which do so by themselves.
   */
  readonly keepUnits?: (quota: Quota<Parameters>) => Quota<Parameters>;
  readonly lease: LeaseRules<Parameters>;
  /** The quota with this lower limit, and with `share` of its rate. */
  readonly scale: (quota: Quota<Parameters>, limit: number, share: Share) => Quota<Parameters>;
  /** Its branch of the scripts. */
  readonly script: string;
  readonly model: AlgorithmModel<Parameters, State>;
}

/** How a policy is leased: units are spent up to one lease after Redis took them. */
export interface LeaseRules<Parameters> {
  /**
   * The quota that Redis has to enforce so that those who spend leased units keep the given one: what they spend in a
   * time w, Redis took in a time w + lease.
   */
  readonly tighten: (quota: Quota<Parameters>, leaseUs: number) => Quota<Parameters>;
  /** The longest lease that leaves enough of the quota. */
  readonly maxUs: (quota: Quota<Parameters>) => number;
  /** Whether leased units expire when the window ends. */
  readonly endsWithWindow?: boolean;
}

/** An algorithm whose values, parameters and state only the algorithm itself looks into. */
export type Implementation = AlgorithmDefinition<
  Record<string, number>,
  Readonly<Record<string, number>>,
  unknown
>;

/** Checks a definition against its own types, and hides them from its users. */
export function defineAlgorithm<
  Values extends object,
  Parameters extends Readonly<Record<string, number>>,
  State,
>(algorithm: AlgorithmDefinition<Values, Parameters, State>): Implementation {
  return algorithm as unknown as Implementation;
}
