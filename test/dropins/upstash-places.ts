import { Ratelimit as Peer } from "@upstash/ratelimit";
import { Redis } from "@upstash/redis";
import { inject } from "vitest";

import { Ratelimit, type RatelimitConfig } from "../../src/upstash-ratelimit.ts";
import { ownPrefix, redisByDate } from "./clocked-redis.ts";

/** The options of both constructors. */
export type Options = Partial<Omit<RatelimitConfig, "limiter">>;

/** A limiter of either package. */
export type Limiter = Pick<
  Ratelimit,
  | "limit"
  | "blockUntilReady"
  | "getRemaining"
  | "resetUsedTokens"
  | "setDynamicLimit"
  | "getDynamicLimit"
>;

/** The static methods, which make values that only their own constructor takes. */
export type Builders = Pick<
  typeof Ratelimit,
  "fixedWindow" | "slidingWindow" | "tokenBucket" | "cachedFixedWindow"
>;

export type Create = (limiter: (builders: Builders) => unknown, options?: Options) => Limiter;

/** Redis as Upstash has it: the peer's scripts run nowhere else. */
export const peerRedis = () =>
  new Redis({ url: inject("flushedRestUrls")[1], token: inject("redisRestToken"), retry: false });

export const createPeer: Create = (limiter, options) =>
  new Peer({
    redis: peerRedis(),
    prefix: ownPrefix(),
    limiter: limiter(Peer as unknown as Builders) as never,
    timeout: 20_000,
    ...(options as object),
  }) as unknown as Limiter;

/** Redis's clock is `Date`, by which the peer counts. */
export const createOurs: Create = (limiter, options) =>
  new Ratelimit({
    redis: redisByDate(),
    prefix: ownPrefix(),
    limiter: limiter(Ratelimit) as never,
    timeout: 20_000,
    ...options,
  });

export const BOTH = [
  ["@upstash/ratelimit", createPeer],
  ["tidegate/upstash-ratelimit", createOurs],
] as const;
