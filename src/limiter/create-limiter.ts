import { Faults, type StoreError } from "../errors.ts";
import type { HeaderOptions } from "../http/fields.ts";
import { compilePolicies } from "../policy/compile.ts";
import { type Duration, parseDuration } from "../policy/duration.ts";
import type { FailureVerdict, Policy } from "../policy/policy.ts";
import { report } from "../report.ts";
import {
  clientHazard,
  createRedisClient,
  type Environment,
  processEnvironment,
  type RedisClient,
  type RedisEndpoint,
  redisFromEnvironment,
} from "../store/redis-client.ts";
import { redisStore } from "../store/redis-store.ts";
import type { Store } from "../store/store.ts";
import { guardStore } from "./guarded-store.ts";
import { buildLimiter, type Limiter, type LimiterSettings } from "./limiter.ts";

/** Which store decides, and what happens when it does not. */
export interface StoreOptions {
  /**
   * The Redis: its REST address and token, or a client. Default: from `UPSTASH_REDIS_REST_URL` and
   * `UPSTASH_REDIS_REST_TOKEN`, or `KV_REST_API_URL` and `KV_REST_API_TOKEN`.
   */
  readonly redis?: RedisEndpoint | RedisClient;
  /** A store instead of a Redis: `memoryStore()`. */
  readonly store?: Store;
  /** How long a decision waits for Redis, 1 ms to 1 minute; then `onFailure` decides. Default `"250ms"`. */
  readonly timeout?: Duration;
  /** Told of the first failure of the store after a success. Default: writes a line to the log. */
  readonly onStoreError?: (error: StoreError) => void;
}

export interface LimiterOptions extends StoreOptions {
  /** Decided together: either all take the cost, or none does. 1 to 16. */
  readonly policies: readonly Policy[];
  /** Begins every key: letters, digits, `.`, `_`, `-`, `:`, at most 64. Default `"tg"`. */
  readonly prefix?: string;
  /** What decides when Redis does not; a policy may say otherwise. Default `"local"`. */
  readonly onFailure?: FailureVerdict;
  /**
   * What the isolate remembers of denials, so that it denies again without asking Redis; `false` to always ask.
   * Default 10,000 entries.
   */
  readonly denialCache?: false | { readonly maxEntries: number };
  /** Which header fields tell the client. Default: all. */
  readonly headers?: HeaderOptions;
}

/**
 * A limiter of one or more policies that are always decided together. Everything that can be wrong with the options is
 * said here, at once.
 *
 * @throws ConfigurationError with every fault
 * @example
 * const limiter = createLimiter({
 *   redis: { url: "https://....upstash.io", token: "..." },
 *   policies: [slidingWindowLog({ name: "login", limit: 5, window: "10s" })],
 * });
 * const decision = await limiter.limit("user:42");
 */
export function createLimiter(options: LimiterOptions): Limiter {
  const faults = new Faults();
  const settings = checkSettings(options, faults);
  const store = openStore(options, processEnvironment(), faults);
  faults.throwIfAny();
  return buildLimiter(store!, settings);
}

/** Milliseconds on a clock that never goes back. On Workers it stands still between I/O, which only makes it early. */
export const monotonicNow = (): number => performance.now();

/** Checks everything about a limiter but its store. */
export function checkSettings(options: LimiterOptions, faults: Faults): LimiterSettings {
  const { prefix = "tg", onFailure = "local", denialCache, headers = {} } = options;
  const policies = compilePolicies(options.policies, "policies", faults);
  if (typeof prefix !== "string" || !/^[A-Za-z0-9._:-]{1,64}$/.test(prefix)) {
    faults.add(
      "prefix",
      prefix,
      "Use 1 to 64 ASCII letters, digits, dots, underscores, dashes or colons.",
    );
  }
  if (!["open", "closed", "local"].includes(onFailure)) {
    faults.add("onFailure", onFailure, 'Use "open", "closed" or "local".');
  }
  const maxDenials = denialCache === false ? 0 : (denialCache?.maxEntries ?? 10_000);
  if (
    (denialCache !== undefined && typeof denialCache !== "object" && denialCache !== false) ||
    !(Number.isInteger(maxDenials) && maxDenials >= 0 && maxDenials <= 1_000_000) ||
    (maxDenials === 0 && denialCache !== false)
  ) {
    faults.add(
      "denialCache",
      denialCache,
      "Give { maxEntries } with a whole number from 1 to 1000000, or false for no cache.",
    );
  }
  if (typeof headers !== "object" || headers === null) {
    faults.add(
      "headers",
      headers,
      'Give { "draft-11": false } or { "x-ratelimit": false } to leave fields out.',
    );
  } else {
    for (const [field, value] of Object.entries(headers)) {
      if (!["draft-11", "x-ratelimit"].includes(field) || typeof value !== "boolean") {
        faults.add(
          `headers.${field}`,
          value,
          'Use "draft-11" and "x-ratelimit", each true or false.',
        );
      }
    }
  }
  return { policies, prefix, onFailure, maxDenials, headers, now: monotonicNow };
}

/** The store that options and environment name, guarded; `undefined` if there was a fault. */
export function openStore(
  { redis, store, timeout = "250ms", onStoreError = reportStoreError }: StoreOptions,
  environment: Environment,
  faults: Faults,
): Store | undefined {
  const budget = (parseDuration(timeout) ?? 0) / 1000;
  if (budget < 1 || budget > 60_000) {
    faults.add("timeout", timeout, 'Give a time from "1ms" to "1m", such as "250ms".');
  }
  if (typeof onStoreError !== "function") {
    faults.add("onStoreError", onStoreError, "Give a function that takes a StoreError.");
  }
  if (store !== undefined) {
    if (
      typeof store?.decide !== "function" ||
      typeof store?.reset !== "function" ||
      redis !== undefined
    ) {
      faults.add("store", store, "Give either memoryStore() as `store`, or `redis`, not both.");
    }
    return store;
  }
  const client = openRedis(redis, environment, budget, faults);
  return client && guardStore(redisStore(client), { budget, now: monotonicNow, onStoreError });
}

function openRedis(
  redis: RedisEndpoint | RedisClient | undefined,
  environment: Environment,
  budget: number,
  faults: Faults,
): RedisClient | undefined {
  if (redis === undefined) return redisFromEnvironment(environment, budget, faults);
  if (typeof redis !== "object" || redis === null) {
    faults.add(
      "redis",
      redis,
      "Give { url, token }, or a client such as new Redis() of @upstash/redis.",
    );
    return undefined;
  }
  if ("evalsha" in redis && "eval" in redis) {
    const hazard = clientHazard(redis);
    if (hazard) report(hazard);
    return redis;
  }
  const { url, token } = redis as RedisEndpoint;
  return createRedisClient(url, token, { url: "redis.url", token: "redis.token" }, budget, faults);
}

function reportStoreError({ code, message }: StoreError): void {
  report(`${code}: ${message} Until it answers again, each policy's onFailure decides.`);
}
