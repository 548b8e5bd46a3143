import { createLimiter, tokenBucket, type TokenBucketOptions } from "../../../../src/index.ts";
import { LIMIT, RATE, TOKEN } from "../terms.ts";
import type { Way } from "./way.ts";

export const tidegate =
  (options: Pick<TokenBucketOptions, "lease" | "optimistic">): Way =>
  ({ url, run }) => {
    const limiter = createLimiter({
      redis: { url, token: TOKEN },
      dialect: "upstash",
      // A machine under full load may take longer than the usual timeout.
      timeout: "5s",
      policies: [tokenBucket({ name: run, limit: LIMIT, refill: RATE, per: "1s", ...options })],
    });
    return async (identity) => (await limiter.limit(identity)).allowed;
  };
