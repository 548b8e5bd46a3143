import type { FailureVerdict } from "../algorithms/algorithm.ts";
import type { HeaderOptions } from "../decision/fields.ts";
import type { SharedDenials } from "../denials/shared-denials.ts";
import type { Duration } from "../options/duration.ts";
import type { Policy } from "../policy/policy.ts";
import type { StoreOptions } from "../store/open-store.ts";

export interface LimiterOptions extends StoreOptions {
  /** 1 to 16 policies, decided together: either every policy takes the cost, or none does. */
  readonly policies: readonly Policy[];
  /** Begins every key in Redis: 1 to 64 letters, digits, `.`, `_`, `-` or `:`. Default `"tg"`. */
  readonly prefix?: string;
  /** What decides while Redis gives no answer; a policy's own `onFailure` overrides it. Default `"local"`. */
  readonly onFailure?: FailureVerdict;
  /**
   * How many denials the isolate remembers, 1 to 1,000,000, so that it denies them again without asking Redis; `false`
   * asks Redis every time. Default `{ maxEntries: 10_000 }`.
   */
  readonly denialCache?: false | { readonly maxEntries: number };
  /**
   * Reserves quota for a hot identity in advance: an isolate takes several units at once and may spend them for this
   * long, 10 ms to 10 s, which should be several round trips. Policies are tightened slightly, so that their promises
   * hold. Default: none, Redis makes every decision.
   */
  readonly lease?: Duration;
  /**
   * Shares denials between nearby isolates, which together then ask Redis about an abuser about as often as one:
   * `coloDenials()` of `tidegate/cloudflare`, or `shareDenials()` with a cache of your own. Needs Redis. Default: none.
   */
  readonly sharedDenials?: SharedDenials;
  /** Which header fields a decision has. Default: all. */
  readonly headers?: HeaderOptions;
}

/** Every option of a limiter. */
export const LIMITER_OPTIONS = [
  "policies",
  "prefix",
  "onFailure",
  "denialCache",
  "lease",
  "sharedDenials",
  "headers",
  "redis",
  "store",
  "timeout",
  "onStoreError",
] as const satisfies (keyof LimiterOptions)[];
