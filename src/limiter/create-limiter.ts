import type { Limiter } from "../decide/limiter.ts";
import { withoutHold } from "../features/holds/create-hold.ts";
import { withLists } from "../features/lists/listed-limiter.ts";
import { compileTell } from "../features/telling/tell-decision.ts";
import { withTelling } from "../features/telling/telling-limiter.ts";
import { compileLists } from "../lists/lists.ts";
import type { ListOptions } from "../lists/options.ts";
import { Faults } from "../options/faults.ts";
import { checkedOptions } from "../options/unknown-options.ts";
import { readEnvironment } from "../runtime/environment.ts";
import { openLimiter } from "./open-limiter.ts";
import { LIMITER_OPTIONS, type LimiterOptions } from "./options.ts";
import { withoutRequestOptions } from "./request-options.ts";

export interface CreateLimiterOptions extends LimiterOptions {
  /**
   * Identities that are not limited (`allow`) or denied with a 403 (`deny`), before Redis is asked: `limit()` and `peek()`
   * take nothing, with `reason` `exempt` or `blocked`. A `cidr` is compared with the dimension `ip`, or with an identity
   * that is a string; `asn` and `country` with the dimensions of these names, whether or not a policy counts by them; an
   * `identity` with each string of the identity. A client that chooses its identity can choose one on `allow`. Default:
   * nobody.
   *
   * @example
   * lists: { allow: [{ cidr: "10.0.0.0/8" }], deny: [{ identity: "user:666" }] }
   */
  readonly lists?: ListOptions;
}

/**
 * Makes a limiter of one or more policies that are always decided together.
 *
 * @throws ConfigurationError with every fault in the options
 * @example
 * const limiter = createLimiter({
 *   redis: { url: "https://....upstash.io", token: "..." },
 *   policies: [slidingWindowLog({ name: "login", limit: 5, window: "10s" })],
 * });
 * const decision = await limiter.limit("user:42");
 */
export function createLimiter(given: CreateLimiterOptions): Limiter {
  const faults = new Faults();
  const own = withoutRequestOptions(given, faults);
  const options = checkedOptions(own, [...LIMITER_OPTIONS, "lists"], faults);
  const lists = compileLists(options.lists, "lists", faults);
  const tell = compileTell(options.onDecision, faults);
  const limiter = listed(openLimiter(options, readEnvironment(), faults), lists, options);
  return tell ? withTelling(limiter, tell) : limiter;
}

function listed(
  limiter: Limiter,
  lists: ReturnType<typeof compileLists>,
  { store }: CreateLimiterOptions,
): Limiter {
  if (!lists) return limiter;
  const nowMs = () => (store?.now ? store.now() / 1000 : Date.now());
  return withLists(limiter, lists, nowMs, withoutHold);
}
