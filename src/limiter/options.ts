import type { FailureVerdict } from "../algorithms/common-options.ts";
import type { HeaderOptions } from "../decide/header-fields.ts";
import type { DecisionListener } from "../features/decision-listener.ts";
import type { ListOptions } from "../features/lists/list-options.ts";
import type { Plans } from "../features/plans.ts";
import type { PlainRegion } from "../features/region-options.ts";
import type { SharedDenials } from "../features/shared-denials.ts";
import type { Duration } from "../options/duration.ts";
import type { MadeBy, RedisMakers } from "../options/option-value.ts";
import type { Policy } from "../policy/policy.ts";
import type { StoreOptions } from "../store/open-store.ts";
import type { RedisEndpoint } from "../store/redis/client.ts";

export interface LimiterOptions extends StoreOptions {
  /** The policies, decided together: either every policy takes the cost, or none does. Range: 1 to 16 policies. */
  readonly policies: readonly Policy[];
  /** The plain form of `plans()`. Default: none. */
  readonly plans?: Plans;
  /**
   * The start of every key in Redis: letters, digits, `.`, `_`, `-` and `:`. Limiters with different prefixes count
   * separately. Range: 1 to 64 characters. Default: `"tg"`.
   */
  readonly prefix?: string;
  /**
   * The decision while Redis gives no answer: `"local"` counts in this isolate's memory, `"open"` lets requests pass,
   * `"closed"` denies them with 503. `{ local: { share: 0.1 } }` counts in memory with a tenth of each limit,
   * rounded up: as if ten isolates shared it. A policy's own `onFailure` overrides it. Range of `share`:
   * above 0 to 1. Default: `"local"`.
   */
  readonly onFailure?: FailureVerdict;
  /**
   * Lengthens the wait that a denied client is told, in `Retry-After` and in `t` of `RateLimit`, by a random part of up
   * to this share, so that clients which obey do not return all at once: with 0.1, 60 s become 60 to 66 s.
   * `decision.retryAfterMs` stays exact. A policy's own `retryJitter` overrides it. Range: 0 to 1. Default: `0`.
   */
  readonly retryJitter?: number;
  /**
   * The number of denials that the isolate remembers, to deny them again without asking Redis; `false` asks Redis every
   * time. Range: 1 to 1,000,000 entries. Default: `{ maxEntries: 10_000 }`.
   */
  readonly denialCache?: false | { readonly maxEntries: number };
  /** The plain form of `lease()`, for every policy without its own. Default: no leases, Redis makes every decision. */
  readonly lease?: Duration | "auto";
  /** The plain form of `region()`. Default: Redis makes every decision. */
  readonly region?: PlainRegion;
  /** The plain form of `coloDenials()` and `shareDenials()`. Default: not shared. */
  readonly sharedDenials?: SharedDenials;
  /** The header fields of a response. Default: all. */
  readonly headers?: HeaderOptions;
  /**
   * Called with each decision and its request before the caller gets it, also with decisions of a list: for your own
   * logs and metrics. It cannot change the decision: if it throws, the log reports it once. Default: none.
   *
   * @example
   * onDecision: ({ allowed, reason }, { operation }) => counts.add(`${operation} ${allowed} ${reason}`)
   */
  readonly onDecision?: DecisionListener;
  /** The lists of `createLimiter()` and of middleware. */
  readonly lists?: ListOptions;
}

/** The options of a limiter, with the values that bring their code. */
export interface CreateLimiterOptions<
  Of extends Policy = Policy,
  P extends MadeBy<"plans()"> = MadeBy<"plans()">,
> extends Omit<
  LimiterOptions,
  "policies" | "plans" | "lease" | "region" | "sharedDenials" | "redis" | "lists"
> {
  /** The policies, decided together: either every policy takes the cost, or none does. Range: 1 to 16 policies. */
  readonly policies: readonly Of[];
  /** The value of `plans()`: other numbers for some clients. Default: none. */
  readonly plans?: P;
  /** The value of `lease()`, for every policy without its own. Default: no leases, Redis makes every decision. */
  readonly lease?: MadeBy<"lease()">;
  /** The value of `region()`: a Redis nearby, which decides most requests. Default: Redis makes every decision. */
  readonly region?: MadeBy<"region()">;
  /** The value of `coloDenials()` of `tidegate/cloudflare`, or of `shareDenials()`. Default: not shared. */
  readonly sharedDenials?: MadeBy<"coloDenials() or shareDenials()">;
  /**
   * `{ url, token }` of a Redis REST API, or what `client()`, `cluster()`, or `fromIoredis()` and `fromNodeRedis()` of `tidegate/node`
   * return. Default: from `UPSTASH_REDIS_REST_URL` and `UPSTASH_REDIS_REST_TOKEN`, or `KV_REST_API_URL` and `KV_REST_API_TOKEN`.
   */
  readonly redis?: RedisEndpoint | MadeBy<RedisMakers>;
  /** The value of `lists()`: identities that are not limited or denied, before Redis is asked. Default: none. */
  readonly lists?: MadeBy<"lists()">;
}

/** Every option of a limiter, but for those of `createLimiter()` alone. */
export const LIMITER_OPTIONS = [
  "policies",
  "plans",
  "prefix",
  "onFailure",
  "retryJitter",
  "denialCache",
  "lease",
  "region",
  "sharedDenials",
  "headers",
  "redis",
  "store",
  "dialect",
  "timeout",
  "onStoreError",
  "onDecision",
] as const satisfies (keyof LimiterOptions)[];
