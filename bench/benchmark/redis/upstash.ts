import { Ratelimit } from "@upstash/ratelimit";

import { capture, type ScriptCall } from "./capture.ts";
import type { Quota, Subject } from "./subject.ts";

type Limiter = ReturnType<typeof Ratelimit.fixedWindow>;
type LimiterOf = (quota: Quota) => Limiter;

function upstash(name: string, limiterOf: LimiterOf): Subject {
  return {
    name: `@upstash ${name}`,
    call: (identity, cost, quota): Promise<ScriptCall> =>
      capture(async (redis) => {
        const limiter = limiterOf(quota);
        const options = { limiter, ephemeralCache: false, timeout: 0 } as const;
        await new Ratelimit({ redis: redis as never, ...options }).limit(identity, { rate: cost });
      }),
    // The bucket and the sliding window answer the remaining units, or -1 if they did not suffice; the fixed window answers the
    // used ones.
    admits: (reply, { limit }) => {
      const [first] = reply as [number];
      return name === "fixed window" ? first <= limit : first >= 0;
    },
  };
}

export const upstashTokenBucket = upstash("token bucket", ({ limit, window }) =>
  Ratelimit.tokenBucket(limit, `${window} ms`, limit),
);
export const upstashSlidingWindow = upstash("sliding window", ({ limit, window }) =>
  Ratelimit.slidingWindow(limit, `${window} ms`),
);
export const upstashFixedWindow = upstash("fixed window", ({ limit, window }) =>
  Ratelimit.fixedWindow(limit, `${window} ms`),
);
