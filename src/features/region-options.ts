import type { Duration } from "../options/duration.ts";
import type { MadeBy, RedisMakers } from "../options/option-value.ts";
import type { RedisEndpoint } from "../store/redis/client.ts";
import type { RegionStore } from "../store/region/region-store.ts";

/** The options of a region. */
export interface RegionOptions {
  /**
   * A Redis near this deployment: `{ url, token }` of its REST API, or what `client()`, `fromIoredis()` or `fromNodeRedis()` returns.
   * Default: the `store`.
   */
  readonly redis?: RedisEndpoint | MadeBy<RedisMakers>;
  /** A store near this deployment that is no Redis: what `durableObjectRegion()` returns. Default: the `redis`. */
  readonly store?: RegionStore;
  /** Names the region in the log. Range: 1 to 64 letters, digits, `.`, `_` and `-`. */
  readonly name: string;
  /**
   * For how long the region may spend a unit after home took it. A policy has less if it permits less: half of a bucket's refill,
   * or a tenth of a window. Range: `"100ms"` to `"10s"`. Default: a second, or a fifth of what the policy permits, if that is less.
   */
  readonly term?: Duration;
  /**
   * Units of a policy that the region admits before home has counted them, so that clients without units there need not wait. Home
   * enforces limits that are lower by this for each of `regions`, so that the policies hold as they are written. Range: 1 to 1,000.
   * Default: none, and such a client waits for home.
   */
  readonly credit?: number;
  /**
   * How many regional stores there are at most, those of previews too; needed for `credit`. While home gives no answer, each of them
   * then counts alone, with this part of a limit, rounded down, wherever `onFailure` is `local`: of 100 units and 5 regions, each
   * admits 20. Range: 1 to 1,000. Default: none, and each isolate counts alone meanwhile.
   */
  readonly regions?: number;
}

/** A region, as data. */
export type PlainRegion = Omit<RegionOptions, "redis"> & { readonly redis?: RedisEndpoint };
