/**
 * A store for express-rate-limit, express-slow-down and hono-rate-limiter: `import { TidegateStore } from
 * "tidegate/express-rate-limit"`.
 *
 * @module
 */

import { countHits, HIT_COUNTER, type HitCounter } from "./dropins/hit-counter.ts";
import { type Cores, type DropInOptions, openCores } from "./dropins/open-cores.ts";

/** The options of a `TidegateStore`. */
export interface TidegateStoreOptions extends DropInOptions {}

/** The store's answer about a client. */
export interface ClientHits {
  /** All hits in the window, those over the limit included. */
  readonly totalHits: number;
  /** When the window ends, by the clock of this process. */
  readonly resetTime: Date;
}

/**
 * Counts the hits of express-rate-limit, express-slow-down and hono-rate-limiter in any Redis, one call for each.
 *
 * The middleware does not pass the limit to its store, and denied requests count, too. So the store can only count
 * fixed windows: a window begins with a client's first hit and is over `windowMs` later, to the millisecond. Around its
 * end up to twice the limit passes, and a denied request costs as much as an allowed one. These bounds do not apply to
 * `rateLimit()` of `tidegate/express` and `tidegate/hono`.
 *
 * Each middleware needs a store of its own, with a `prefix` of its own if both count the same clients.
 *
 * @throws ConfigurationError with every fault
 * @example
 * app.use(rateLimit({
 *   windowMs: 60_000,
 *   limit: 100,
 *   store: new TidegateStore({ redis: fromIoredis(redis), prefix: "api" }),
 * }));
 */
export class TidegateStore {
  /** Other processes count the same keys. */
  readonly localKeys = false;
  readonly prefix: string;
  readonly #cores: Cores;
  #counter: HitCounter | undefined;

  constructor(options: TidegateStoreOptions = {}) {
    this.#cores = openCores(options, HIT_COUNTER);
    this.prefix = options.prefix ?? "tg";
  }

  /**
   * The middleware calls this with its options.
   *
   * @throws ConfigurationError if `windowMs` is not from 1 to 31,622,400,000, which is 366 days
   */
  init({ windowMs }: { readonly windowMs: number }): void {
    this.#counter = countHits(this.#cores, windowMs);
  }

  /**
   * Reports the hits of a client in its window, if it has any.
   *
   * @throws StoreError with `onFailure: "error"`, if Redis gives no answer
   */
  async get(key: string): Promise<ClientHits | undefined> {
    const { total, resetAfterMs } = await this.#counting.get(key);
    return total > 0 ? clientOf(total, resetAfterMs) : undefined;
  }

  /**
   * Counts a hit.
   *
   * @throws StoreError with `onFailure: "error"`, if Redis gives no answer
   */
  async increment(key: string): Promise<ClientHits> {
    const { total, resetAfterMs } = await this.#counting.add(key);
    return clientOf(total, resetAfterMs);
  }

  /**
   * Takes a hit back from the window that counted it: never from a later one that this process knows of.
   *
   * @throws StoreError if Redis gives no answer
   */
  async decrement(key: string): Promise<void> {
    await this.#counting.takeBack(key);
  }

  /**
   * Forgets the hits of a client.
   *
   * @throws StoreError if Redis gives no answer
   */
  async resetKey(key: string): Promise<void> {
    await this.#counting.forget(key);
  }

  get #counting(): HitCounter {
    if (!this.#counter) throw new Error("TidegateStore: a middleware calls init() first.");
    return this.#counter;
  }
}

/**
 * Redis measures the rest of the window, so the client's `Retry-After` is right even if this process's clock is wrong.
 */
function clientOf(totalHits: number, resetAfterMs: number): ClientHits {
  return { totalHits, resetTime: new Date(Date.now() + Math.ceil(resetAfterMs)) };
}
