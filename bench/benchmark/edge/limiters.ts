import { Ratelimit } from "@upstash/ratelimit";

import { client, createLimiter, tokenBucket } from "../../../src/index.ts";

/** One decision of an isolate whose store answers at once, always the same. */
export type Decide = (identity: string) => Promise<unknown>;

export interface StubbedOptions {
  readonly admits: boolean;
  /** Denials that the isolate may remember. */
  readonly maxEntries?: number;
}

const HOUR = 3_600_000;

export function tidegate({ admits, maxEntries = 10_000 }: StubbedOptions): Decide {
  const hour = HOUR * 1000;
  const reply = async () =>
    admits ? [Date.now() * 1000, 1, 9, 0, hour] : [Date.now() * 1000, 0, 0, hour, hour];
  const limiter = createLimiter({
    redis: client({ evalsha: reply, eval: reply }),
    policies: [tokenBucket({ limit: 10, refill: 10, per: "1h" })],
    denialCache: { maxEntries },
  });
  return (identity) => limiter.limit(identity);
}

export function upstash({ admits }: StubbedOptions): Decide {
  const reply = async () => (admits ? [9, Date.now() + HOUR, 10] : [-1, Date.now() + HOUR, 10]);
  const limiter = new Ratelimit({
    redis: { evalsha: reply, eval: reply } as never,
    limiter: Ratelimit.tokenBucket(10, "1 h", 10),
  });
  return (identity) => limiter.limit(identity);
}
