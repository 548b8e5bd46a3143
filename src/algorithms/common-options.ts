import type { Duration } from "../options/duration.ts";
import type { MadeBy } from "../options/option-value.ts";
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

/** The value of `denials()`. */
export interface Denials extends MadeBy<"failures() or denials()"> {
  readonly of: "denials";
}

/** The value of `failures()`. */
export interface Failures extends MadeBy<"failures() or denials()"> {
  readonly of: "failures";
}

/** The value of `refundable()`. */
export type Refundable = MadeBy<"refundable()">;

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

declare const LABELS: unique symbol;

/** Marks a policy, for the compiler only, with its name and its dimension: `string` where they are not literal. */
export interface Labelled<Name extends string, By extends string> {
  readonly [LABELS]: { readonly name: Name; readonly by: By };
}

declare const LITERAL: unique symbol;

/** Marks a policy with the dimension and the makers of options that it has for certain: none where its options are not literal. */
export interface Literal<By extends string, Has extends string> {
  readonly [LITERAL]: {
    readonly by: string extends By ? never : By;
    readonly has: string extends By ? never : Has;
  };
}

/** The facts that TypeScript learns of a policy: its name, its dimension, its options, and whether it gives something back. */
export type MarksOf<
  Given,
  Name extends string,
  By extends string,
  Has extends string,
> = HoldingOf<Given> & Labelled<Name, By> & Literal<By, Has>;

/** The options from which the compiler learns a policy's name, its dimension, and the makers of the others. */
export interface Labels<Name extends string, By extends string, Has extends string = never> {
  readonly name?: Name;
  readonly by?: By;
  readonly counts?: MadeBy<Has>;
  readonly lease?: MadeBy<Has>;
  readonly notify?: MadeBy<Has>;
  readonly optimistic?: MadeBy<Has>;
  readonly refundable?: MadeBy<Has>;
  readonly shards?: MadeBy<Has>;
}

/** A policy of a middleware. The compiler shows the text where the policy has a dimension. */
export interface WithoutBy {
  readonly [LITERAL]?: { readonly by: "(in middleware: partition)" } | undefined;
}

type Alone = "(only with createLimiter())";

/** A policy of `limit()`. The compiler shows the text where the policy has an option that only limiters have. */
export interface WithoutLimiter {
  readonly [LITERAL]?: { readonly by: Alone; readonly has: Alone } | undefined;
}

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
  /** The value of `refundable()`: holds give back units that they reserved and did not use. */
  readonly refundable?: R;
  /** In middleware: the clients that this policy counts apart. Default: the middleware's `partition`. */
  readonly partition?: SourceValues;
  /** The value of `lease()`. Default: the limiter's. */
  readonly lease?: MadeBy<"lease()">;
  /** The value of `optimistic()`. */
  readonly optimistic?: MadeBy<"optimistic()">;
  /** The value of `notify()`. */
  readonly notify?: MadeBy<"notify()">;
  /** The value of `shards()`. Default: one key. */
  readonly shards?: MadeBy<"shards()">;
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
  /** The plain form of `shadow()` and `soft()`, which say what they do. Default: `"enforce"`. */
  readonly mode?: Mode;
  /** The plain form of `denials()` and `failures()`, which say what they count. Default: `"requests"`. */
  readonly counts?: Counts;
  /** The plain form of the parameter of `failures()`. Default: `{ status: [401, 403] }`. */
  readonly when?: FailureWhen;
  /** The plain form of `refundable()`. Default: `false`. */
  readonly refundable?: boolean;
  /** Overrides the limiter's `retryJitter` for this policy. Range: 0 to 1. Default: the limiter's. */
  readonly retryJitter?: number;
  /** The plain form of `lease()`. Range: `"10ms"` to `"10s"`, or `"auto"`. Default: the limiter's. */
  readonly lease?: Duration | "auto";
  /** The plain form of `optimistic()`; `true` is `{ unsettled: 1, above: 0.5 }`. Default: Redis decides first. */
  readonly optimistic?: true | OptimisticOptions;
  /** The plain form of the shares of `notify()`. Range: above 0 to 1; 1 to 8 of them. Default: none. */
  readonly notify?: number | readonly number[];
  /** The listener of `notify()`, told of this policy's notices. Data has none. */
  readonly onNotice?: Listener;
  /** The plain form of `shards()`. Range: 2 to 64, at most the limit. Default: one key. */
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

/** The responses that are failures, see `CommonOptions.when`. */
export interface FailureWhen {
  readonly status: readonly number[];
}
