import { Ratelimit } from "@upstash/ratelimit";
import { Redis } from "@upstash/redis/cloudflare";

import { LIMIT, RATE, TOKEN } from "../terms.ts";
import type { Way } from "./way.ts";

export const upstash: Way = ({ url, run }) => {
  const limiter = new Ratelimit({
    redis: new Redis({ url, token: TOKEN, enableTelemetry: false }),
    // It refills at the end of each interval, so that a longer one would refill in bursts.
    limiter: Ratelimit.tokenBucket(1, `${1_000 / RATE} ms`, LIMIT),
    prefix: run,
  });
  return async (identity) => (await limiter.limit(identity)).success;
};
