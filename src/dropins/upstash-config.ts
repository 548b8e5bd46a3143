import type { RedisClient } from "../store/redis/client.ts";
import type { Algorithm } from "./upstash-algorithms.ts";

/** The place that a request comes from, for analytics. */
export interface Geo {
  readonly country?: string;
  readonly city?: string;
  readonly region?: string;
  readonly ip?: string;
}

/** The options of a request. */
export interface LimitOptions {
  readonly geo?: Geo;
  /** The cost of the request, a whole number; 0 takes no tokens, and a number below 0 gives tokens back. Default: `1`. */
  readonly rate?: number;
  /** Looked up in the deny list, beside the identifier. */
  readonly ip?: string;
  readonly userAgent?: string;
  readonly country?: string;
}

/** The options of a `Ratelimit`. */
export interface RatelimitConfig {
  /** A client of @upstash/redis, or `fromIoredis()` and `fromNodeRedis()` of `tidegate/node`. */
  readonly redis: RedisClient;
  /** The result of a static method of `Ratelimit`. */
  readonly limiter: Algorithm;
  /** The start of every key. Default: `"@upstash/ratelimit"`. */
  readonly prefix?: string;
  /** `false` asks Redis about every request, also of those that are known to be denied. A map is not used. Default: on. */
  readonly ephemeralCache?: Map<string, number> | false;
  /**
   * How long to wait for Redis, in milliseconds; a request without an answer passes. Range: to 60,000; 0 is that. Default:
   * `5000`.
   */
  readonly timeout?: number;
  /** Whether decisions are counted for the dashboard. Default: `false`. */
  readonly analytics?: boolean;
  /** Whether the deny list is looked at. Default: `false`. */
  readonly enableProtection?: boolean;
  /** Has no effect: no list is downloaded. */
  readonly denyListThreshold?: number;
  /** Whether `setDynamicLimit()` can override the tokens. Default: `false`. */
  readonly dynamicLimits?: boolean;
  /** Has no effect. */
  readonly cacheScripts?: boolean;
  /** Has no effect: there is no telemetry. */
  readonly enableTelemetry?: boolean;
}

const MAX_TIMEOUT_MS = 60_000;

/** As a limiter's option. */
export function timeoutOf(milliseconds: number): string {
  return `${milliseconds > 0 ? Math.min(milliseconds, MAX_TIMEOUT_MS) : MAX_TIMEOUT_MS}ms`;
}
