import { checkDuration, type Duration } from "../options/duration.ts";
import type { StoreError } from "../options/errors.ts";
import type { Faults } from "../options/faults.ts";
import { kindOf } from "../options/kind-of.ts";
import { DIALECT, FUNCTION, REDIS, PLAIN_VALUE, STORE } from "../options/messages.ts";
import { checkOptions } from "../options/unknown-options.ts";
import type { Environment } from "../runtime/environment.ts";
import { monotonicNow } from "../runtime/time.ts";
import type { StoreBreaker } from "./breaker.ts";
import type { splitStore } from "./cluster/split-store.ts";
import { DEFAULT_TIMEOUT_MS, guardStore, type GuardWords, TIMEOUT_RANGE } from "./guarded-store.ts";
import type { clients } from "./redis/client-adapter.ts";
import type { ClientSettings, RedisClient, RedisEndpoint, ScriptClient } from "./redis/client.ts";
import type { CountedRedis } from "./redis/counted-redis.ts";
import type { DialectName } from "./redis/dialect.ts";
import { createRedisClient, redisFromEnvironment } from "./redis/endpoint.ts";
import type { inspectRedis } from "./redis/inspect.ts";
import type { MoreScripts } from "./redis/script-calls.ts";
import { redisStore } from "./redis/store.ts";
import type { openRegion } from "./region/open-region.ts";
import type { RegionStore } from "./region/region-store.ts";
import type { Store } from "./store.ts";

const DIALECTS: readonly unknown[] = ["upstash", "redis"] satisfies DialectName[];

/** Selects the store, and its behaviour when it does not answer. */
export interface StoreOptions {
  /**
   * Redis 6.2 or later: `{ url, token }` of its REST API, or a client. A client of @upstash/redis only provides its
   * address and token: its retries, batches and middleware do not apply. Any other client needs the two functions of
   * `RedisClient`, `evalsha` and `eval`, and must not send a command twice. Default: from `UPSTASH_REDIS_REST_URL` and
   * `UPSTASH_REDIS_REST_TOKEN`, or `KV_REST_API_URL` and `KV_REST_API_TOKEN`.
   *
   * @example
   * createLimiter({ redis: Redis.fromEnv(), policies })
   */
  readonly redis?: RedisEndpoint | RedisClient;
  /** A store instead of Redis, such as `memoryStore()`. Default: Redis. */
  readonly store?: Store;
  /**
   * The kind of scripts that Redis gets. Those for Upstash lock only the keys of one decision instead of the whole
   * database; every other Redis rejects them. Set it if the host does not reveal the dialect: for Upstash behind a
   * proxy or with a client of another package. If Redis rejects a dialect, the first decision corrects it. Range:
   * `"upstash"`, `"redis"`. Default: `"upstash"` for `*.upstash.io` and `*.kv.vercel-storage.com`, and if the first
   * answer comes from Upstash; else `"redis"`.
   */
  readonly dialect?: DialectName;
  /**
   * The time that a decision waits for Redis; then `onFailure` decides. Until the first answer in an isolate it waits
   * up to four times as long, at most a second, since connecting takes several round trips. Range: `"1ms"` to `"1m"`.
   * Default: `"250ms"`.
   */
  readonly timeout?: Duration;
  /**
   * Called once per outage, with its first failure. Default: logs one line when an outage begins and one when Redis
   * answers again.
   */
  readonly onStoreError?: (error: StoreError) => void;
}

/** The region of a limiter, as far as its store knows it. */
export interface RegionStoreOptions {
  /** Names it in the log. */
  readonly name: string;
  /** The Redis nearby. */
  readonly redis?: RedisEndpoint | RedisClient;
  /** The store nearby, if it is no Redis. */
  readonly store?: RegionStore;
}

export interface HomeOptions extends StoreOptions {
  readonly region?: RegionStoreOptions | undefined;
  /** Whether it is the home of regions. Default: if it has the `region`. */
  readonly isHome?: boolean;
}

/** The scripts and functions for a Redis, besides the script of a single policy. A bundle contains the given parts. */
export interface RedisParts {
  readonly scripts: MoreScripts;
  readonly cluster?:
    | { readonly createBreaker: () => StoreBreaker; readonly split: typeof splitStore }
    | undefined;
  readonly clients?: typeof clients | undefined;
  /** Reports facts about the store. */
  readonly inspect?: typeof inspectRedis;
  readonly openRegion?: typeof openRegion | undefined;
  /** The words of messages about the home of regions. */
  readonly homeWords?: GuardWords | undefined;
  /** Counts the commands of the store and its client. */
  readonly counted?: CountedRedis | undefined;
}

/** Opens the store from the options or the environment, guarded; `undefined` after a fault. */
export function openStore(
  options: HomeOptions,
  parts: RedisParts,
  environment: Environment,
  faults: Faults,
): Store | undefined {
  return storeOpener(options, faults)(options.redis, parts, environment, faults);
}

/** Opens the store that the options name, or a Redis, guarded; `undefined` after a fault. */
export type StoreOpener = (
  redis: StoreOptions["redis"],
  parts: RedisParts,
  environment: Environment,
  faults: Faults,
) => Store | undefined;

/** Checks the options of the connection, before the Redis itself is known. */
export function storeOpener(
  {
    store,
    region,
    isHome = region !== undefined,
    timeout,
    dialect,
    onStoreError,
  }: Omit<HomeOptions, "redis">,
  faults: Faults,
): StoreOpener {
  const timeoutMs =
    timeout === undefined
      ? DEFAULT_TIMEOUT_MS
      : (checkDuration(timeout, TIMEOUT_RANGE, "timeout", faults) ?? 0) / 1000;
  if (dialect !== undefined && !DIALECTS.includes(dialect)) {
    faults.add("dialect", dialect, DIALECT);
  }
  if (onStoreError !== undefined && typeof onStoreError !== "function") {
    faults.add("onStoreError", onStoreError, FUNCTION, "takes a StoreError");
  }
  return function open(redis, parts, environment, faults) {
    if (store !== undefined) {
      const isStore = typeof store?.decide === "function" && typeof store?.reset === "function";
      if (!isStore || redis !== undefined) faults.add("store", kindOf(store), STORE);
      return store;
    }
    const { scripts, cluster, clients, inspect, openRegion, homeWords, counted } = parts;
    const opened = openClient(redis, environment, { timeoutMs, dialect }, clients, faults);
    if (opened === undefined) return undefined;
    const client = counted?.client(opened.client) ?? opened.client;
    const counts = redisStore(client, scripts, opened.dialect);
    const guard = guardStore(
      counted?.store(counts) ?? counts,
      { ...(isHome && homeWords), timeoutMs, now: monotonicNow, onStoreError },
      cluster?.createBreaker(),
    );
    const home: Store = {
      ...(cluster ? cluster.split(guard) : guard),
      ...(inspect && { inspect: inspect(client, opened.dialect, guard, timeoutMs) }),
    };
    if (!openRegion || !region) return home;
    const { name, store: nearby, redis: nearbyRedis } = region;
    // Without both its check has added a fault.
    if (!nearby && !nearbyRedis) return home;
    const openNearby = (placed: Faults) =>
      openClient(nearbyRedis, environment, { timeoutMs, dialect: undefined }, clients, placed);
    return openRegion(
      home,
      { name, store: nearby, openClient: openNearby, timeoutMs, onStoreError },
      faults,
    );
  };
}

/** Opens a client from an option, or from the environment; `undefined` after a fault. */
export function openClient(
  redis: StoreOptions["redis"],
  environment: Environment,
  settings: ClientSettings,
  adapter: typeof clients | undefined,
  faults: Faults,
): ScriptClient | undefined {
  if (redis === undefined) return redisFromEnvironment(environment, settings, faults);
  if (typeof redis !== "object" || redis === null) {
    faults.add("redis", kindOf(redis), REDIS);
    return undefined;
  }
  if (isClient(redis)) {
    if (!adapter)
      faults.add("redis", kindOf(redis), PLAIN_VALUE, { maker: "client", value: redis });
    return adapter?.open(redis, settings, faults);
  }
  const { url, token } = redis as RedisEndpoint;
  // An object without an address is another mistake, and each of its properties would be reported.
  if (typeof url === "string") checkOptions(redis, ["url", "token"], "redis.", faults);
  return createRedisClient(
    url,
    token,
    { url: "redis.url", token: "redis.token" },
    settings,
    faults,
  );
}

/** Whether the `redis` option is a client rather than an address. Some clients are proxies without own keys. */
function isClient(redis: object): boolean {
  const { evalsha, eval: evaluate, evalSha } = redis as Readonly<Record<string, unknown>>;
  return [evalsha, evaluate, evalSha].some((command) => command !== undefined);
}
