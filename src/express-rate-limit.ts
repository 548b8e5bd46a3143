/**
 * A store for express-rate-limit, express-slow-down and hono-rate-limiter: `import { TidegateStore } from
 * "tidegate/express-rate-limit"`.
 *
 * @module
 */

import {
  COUNTER_SCRIPTS,
  countPoints,
  type PointCounter,
  pointsOf,
} from "./dropins/count-points.ts";
import { type Answer, partitionOf } from "./dropins/counts.ts";
import { microsecondsOf } from "./dropins/numbers.ts";
import { type DropIn, type DropInOptions, openDropIn } from "./dropins/open-drop-in.ts";
import { Faults } from "./options/faults.ts";
import { MILLISECONDS_ABOVE_0 } from "./options/messages.ts";
import { setRecent } from "./runtime/lru.ts";

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
  readonly #dropIn: DropIn;
  /**
   * When the window of the last hit ends, so that a hit is taken back from no later one. By partition, because a key may be of
   * any length.
   */
  readonly #lastEndsUs = new Map<string, number>();
  #opened: { readonly counter: PointCounter; readonly windowUs: number } | undefined;

  constructor(options: TidegateStoreOptions = {}) {
    this.#dropIn = openDropIn(options, COUNTER_SCRIPTS, new Faults());
    this.prefix = this.#dropIn.prefix;
  }

  /**
   * The middleware calls this with its options.
   *
   * @throws ConfigurationError if `windowMs` is not a number above 0
   */
  init({ windowMs }: { readonly windowMs: number }): void {
    const faults = new Faults();
    const windowUs = typeof windowMs === "number" ? microsecondsOf(windowMs) : 0;
    if (windowUs === 0) faults.add("windowMs", windowMs, MILLISECONDS_ABOVE_0);
    faults.throwIfAny();
    this.#opened = { counter: countPoints(this.#dropIn, `hits-${windowUs}`), windowUs };
  }

  /**
   * Reports the hits of a client in its window, if it has one.
   *
   * @throws StoreError with `onFailure: "error"`, if Redis gives no answer
   */
  async get(key: string): Promise<ClientHits | undefined> {
    const answer = await this.#initialized.counter.get(key);
    return answer.resetAfterUs > 0 ? clientOf(answer) : undefined;
  }

  /**
   * Counts a hit.
   *
   * @throws StoreError with `onFailure: "error"`, if Redis gives no answer
   */
  async increment(key: string): Promise<ClientHits> {
    const { counter, windowUs } = this.#initialized;
    const answer = await counter.add(key, 1, windowUs);
    const endsUs = answer.nowUs + answer.resetAfterUs;
    setRecent(this.#lastEndsUs, await partitionOf(key), endsUs, MAX_KEYS);
    return clientOf(answer);
  }

  /**
   * Takes a hit back from the window that counted it: never from a later one that this process knows of.
   *
   * @throws StoreError with `onFailure: "error"`, if Redis gives no answer
   */
  async decrement(key: string): Promise<void> {
    const endsUs = this.#lastEndsUs.get(await partitionOf(key)) ?? Number.MAX_SAFE_INTEGER;
    await this.#initialized.counter.takeBack(key, 1, endsUs);
  }

  /**
   * Forgets the hits of a client.
   *
   * @throws StoreError if Redis gives no answer
   */
  async resetKey(key: string): Promise<void> {
    this.#lastEndsUs.delete(await partitionOf(key));
    const { error } = await this.#initialized.counter.forget(key);
    if (error) throw error;
  }

  get #initialized() {
    if (!this.#opened) throw new Error("TidegateStore: a middleware calls init() first.");
    return this.#opened;
  }
}

/** The most keys whose last window's end is remembered. */
const MAX_KEYS = 10_000;

/**
 * Redis measures the rest of the window, so the client's `Retry-After` is right even if this process's clock is wrong.
 */
function clientOf(answer: Answer): ClientHits {
  const resetTime = new Date(Date.now() + Math.ceil(answer.resetAfterUs / 1000));
  return { totalHits: pointsOf(answer), resetTime };
}
