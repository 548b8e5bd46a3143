import { Ratelimit } from "@upstash/ratelimit";
import { Redis } from "@upstash/redis/cloudflare";

import { LIMIT, RATE, TOKEN } from "../terms.ts";
import type { Way } from "./way.ts";

export const upstash: Way = ({ url, run }) => {
  const limiter = new Ratelimit({
    redis: new Redis({ url, token: TOKEN, enableTelemetry: false }),
    limiter: Ratelimit.tokenBucket(RATE, "1 s", LIMIT),
    prefix: run,
  });
  return async (identity) => (await limiter.limit(identity)).success;
};
