import type { Duration } from "../options/duration.ts";
import type { OptionValue } from "../options/option-value.ts";
import type { Sources, SourceValues } from "../partition/source.ts";

/** The answer of a policy while Redis gives no usable answer. */
export type FailureVerdict =
  /** Let the request pass. */
  | "open"
  /** Deny it with 503. */
  | "closed"
  /** Count in this isolate's memory: at most the limit in each window of the policy's length. */
  | "local"
  /**
   * As `"local"`, with this share of the limit in each isolate, so that several isolates together
   * admit about the limit. Range of `share`: above 0 to 1.
   */
  | { readonly local: { readonly share: number } };

/** What `denials()` returns. */
export interface Denials extends OptionValue<"counts"> {
  readonly of: "denials";
}

/** What `failures()` returns. */
export interface Failures extends OptionValue<"counts"> {
  readonly of: "failures";
}

/** What `refundable()` returns. */
export type Refundable = OptionValue<"refundable">;

declare const HOLDS: unique symbol;

/** Marks a policy, for the compiler only, whose limiter has `reserve()`. */
export interface Holding {
  readonly [HOLDS]: true;
}

/** Marks a policy that gives nothing back. */
export interface NotHolding {
  readonly [HOLDS]: false;
}

/** The mark of a policy with these values. Neither is the other's subtype, or a list of both would lose one. */
export type HoldingOf<Given> = [Extract<Given, Failures | Refundable>] extends [never]
  ? NotHolding
  : Holding;

/** The options that are values, each made by the function of its name. */
export interface PolicyOptions<
  F extends Denials | Failures = Denials | Failures,
  R extends Refundable = Refundable,
> extends Omit<
  CommonOptions,
  | "counts"
  | "when"
  | "partition"
  | "mode"
  | "refundable"
  | "lease"
  | "optimistic"
  | "notify"
  | "onNotice"
  | "shards"
> {
  /** The events that it counts: what `denials()` or `failures()` returns. Default: requests. */
  readonly counts?: F;
  /** What `refundable()` returns: holds give back units that they reserved and did not use. */
  readonly refundable?: R;
  /** In middleware: the clients that this policy counts apart. Default: the middleware's `partition`. */
  readonly partition?: SourceValues;
  /** What `lease()` returns. Default: the limiter's. */
  readonly lease?: OptionValue<"lease">;
  /** What `optimistic()` returns. */
  readonly optimistic?: OptionValue<"optimistic">;
  /** What `notify()` returns. */
  readonly notify?: OptionValue<"notify">;
  /** What `shards()` returns. Default: one key. */
  readonly shards?: OptionValue<"shards">;
}

/** The options that every algorithm has besides its numbers, as data. */
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
   * In rules and middleware: the clients that this policy counts apart, as a list of sources or `"*"`. Default: the rule's
   * `partition`.
   *
   * @example
   * tokenBucket({ name: "address", partition: ["ip"], limit: 200, refill: 100, per: "1s" })
   */
  readonly partition?: Sources;
  /**
   * In rules and middleware: the treatment of requests without the identity. `"skip"` leaves this policy out of their
   * decision; at least one enforced policy must not skip. A shadow policy skips where the others reject. Default: the
   * rule's.
   */
  readonly onMissing?: "share" | "reject" | "skip";
  /**
   * `"enforce"` denies. `"shadow"` decides and counts, but never denies, and clients do not see it: `decision.shadow` has its
   * decision. `"soft"` never denies either; it is in the header fields, and the origin of a
   * gateway and the route behind Vercel's middleware learn from the request's field `Tidegate-Over` which policies are over
   * their limits. Default: `"enforce"`.
   */
  readonly mode?: Mode;
  /**
   * The events that it counts: `"requests"`, or `"denials"`: one unit whenever another policy of the decision denies. While
   * such a policy has no room, it denies every request, so it bans clients that keep coming. Another policy has to count
   * requests: of the limiter, or of any rule of the gateway. Denials that the isolate knows without asking Redis count with the next
   * request that asks it.
   *
   * Or `"failures"`: every request reserves its cost, and gets it back if the response was no failure (see `when`). So at
   * most `limit` requests that may fail are under way at once, and a denied client is told to wait one second at most.
   * Redis decides each denial, as of a `refundable` policy. Rules and middleware settle by themselves; with
   * `createLimiter()`, call `reserve()`, and `release()` of the hold after a success. Cannot be combined with `lease`.
   * Default: `"requests"`.
   *
   * @example
   * fixedWindow({ name: "ban", counts: "denials", limit: 20, window: "1h" })
   */
  readonly counts?: Counts;
  /**
   * In rules and middleware: which responses are failures, for a policy with `counts: "failures"`. Range of `status`: 1
   * to 32 whole numbers from 100 to 599. Default: `{ status: [401, 403] }`.
   *
   * @example
   * segmentedWindow({ name: "login", counts: "failures", when: { status: [401] }, limit: 5, window: "10m" })
   */
  readonly when?: FailureWhen;
  /**
   * Whether a hold gives back units that it reserved and did not use (see `reserve()`). Redis decides each of its denials,
   * because such units can end one early. Cannot be combined with `lease` or `counts: "denials"`; for `createLimiter()` and
   * middleware. Default: `false`.
   *
   * @example
   * slidingWindowCounter({ name: "tokens", limit: 100_000, window: "1m", refundable: true })
   */
  readonly refundable?: boolean;
  /** Overrides the limiter's `retryJitter` for this policy. Range: 0 to 1. Default: the limiter's. */
  readonly retryJitter?: number;
  /**
   * Overrides the limiter's `lease` for this policy: only its quota is reserved in advance, and policies of other dimensions
   * stay exact. All policies of one dimension need the same lease, and none of them may count denials. Range: `"10ms"` to `"10s"`,
   * or `"auto"`. Default: the limiter's.
   *
   * @example
   * fixedWindow({ name: "everyone", by: "*", limit: 1_000_000, window: "1h", lease: "100ms" })
   */
  readonly lease?: Duration | "auto";
  /**
   * Answers without waiting for Redis: an isolate that knows of no denial, and whose last answer left more than `above` of the
   * limit, or that has none, admits at once, and Redis counts the request afterwards. At most `unsettled` units of an identity
   * wait for that in an isolate; a request beyond them, or of a greater cost, waits for its answer. So each isolate admits at
   * most `unsettled` units too many, whatever the traffic is, and they are missing later. Not for logins, codes or money.
   * `true` is `{ unsettled: 1, above: 0.5 }`. All policies of one dimension need it. Cannot be combined with `counts`, `mode`,
   * `shards`, `refundable` or a `lease` other than `"auto"`; for `createLimiter()`, rules and middleware. Range of `unsettled`: 1 to 1,000, at most
   * the limit; of `above`: 0 to below 1. Default: Redis decides first.
   *
   * @example
   * tokenBucket({ name: "api", limit: 100, refill: 50, per: "1s", optimistic: true })
   */
  readonly optimistic?: true | OptimisticOptions;
  /**
   * Tells `onNotice` when an identity has used this share of the limit, once per window: a number, or a list of 1 to 8. Where a
   * decision shows several of them, it tells the highest. It also tells when requests begin to be denied by this policy. No request
   * waits for that. For `createLimiter()`, middleware and rules, where the gateway sends a webhook. Range: above 0 to 1. Default:
   * none.
   *
   * @example
   * fixedWindow({ name: "monthly", limit: 1_000, window: "30d", notify: [0.8, 1] })
   */
  readonly notify?: number | readonly number[];
  /** The listener of `notify()`, told of this policy's notices. Data has none. */
  readonly onNotice?: Listener;
  /**
   * Splits the limit of a hot identity over this many keys, which a Redis Cluster spreads over its masters. A request asks
   * one of them, at most two, so that `remaining` is the rest of that shard: at least so much is left in all. All shards
   * together never admit more than the policy. A request may cost at most the smallest shard's limit, `limit / shards`
   * rounded down. Cannot be combined with `lease` or `counts: "denials"`; for `createLimiter()`, rules and middleware.
   * A change of `shards` starts parts of the count anew. Range: 2 to 64, at most the limit. Default: one key.
   *
   * @example
   * fixedWindow({ name: "everyone", by: "*", limit: 1_000_000, window: "1h", shards: 8 })
   */
  readonly shards?: number;
}

/** A function that is told something. */
export type Listener = (...told: never[]) => unknown;

/** How far an isolate decides before Redis, see `CommonOptions.optimistic`. */
export interface OptimisticOptions {
  /** Units of an identity that an isolate has admitted and Redis has not yet confirmed, at most. */
  readonly unsettled?: number;
  /** The share of the limit above which an isolate decides by itself. */
  readonly above?: number;
}

/** Whether a policy denies requests, see `CommonOptions.mode`. */
export type Mode = "enforce" | "shadow" | "soft";

/** The events that a policy counts, see `CommonOptions.counts`. */
export type Counts = "requests" | "denials" | "failures";

/** Which responses are failures, see `CommonOptions.when`. */
export interface FailureWhen {
  readonly status: readonly number[];
}
