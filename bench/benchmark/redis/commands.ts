import { Ratelimit } from "@upstash/ratelimit";

import { fixedWindow } from "../../../src/algorithms/fixed-window.ts";
import { segmentedWindow } from "../../../src/algorithms/segmented-window.ts";
import { slidingWindowCounter } from "../../../src/algorithms/sliding-window-counter.ts";
import { slidingWindowLog } from "../../../src/algorithms/sliding-window-log.ts";
import { tokenBucket } from "../../../src/algorithms/token-bucket.ts";
import { ALL_SCRIPTS } from "../../../src/store/redis/all-scripts.ts";
import type { RedisClient } from "../../../src/store/redis/client.ts";
import { redisStore } from "../../../src/store/redis/store.ts";
import { compile } from "../../../test/support/compile-policy.ts";

export interface Quota {
  readonly limit: number;
  /** Milliseconds; for a token bucket the time in which it refills. */
  readonly window: number;
}

/** A limiter that is measured by the commands that it sends to Redis. */
export interface Subject {
  readonly name: string;
  /** A request of this cost. */
  call(identity: string, cost: number, quota: Quota): Promise<ScriptCall>;
  /** Whether this reply lets the request pass. */
  admits(reply: unknown, quota: Quota): boolean | Promise<boolean>;
}

/** One call of a script, as a limiter sends it. */
export interface ScriptCall {
  readonly script: string;
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

interface Recorder {
  evalsha(sha1: string, keys: string[], args: unknown[]): Promise<never>;
  eval(script: string, keys: string[], args: unknown[]): Promise<unknown>;
}

/**
 * Captures the commands that a limiter sends to Redis for one request: the reply says that the script is unknown, so that the
 * limiter sends the text. Stock Redis does not take Upstash's flag, so that its line is left out.
 */
export async function capture(request: (redis: Recorder) => Promise<unknown>): Promise<ScriptCall> {
  let call: ScriptCall | undefined;
  await request({
    evalsha: async () => {
      throw new Error("NOSCRIPT No matching script. Please use EVAL.");
    },
    async eval(script, keys, args) {
      call = { script: script.replace(/^#!lua.*\n/, ""), keys, args: args.map(String) };
      return [1, 1, 1];
    },
  }).catch((error: unknown) => {
    // A limiter need not accept a made-up reply.
    if (!call) throw error;
  });
  return call!;
}

/** Each algorithm with the quota of the moment. */
const POLICIES = {
  "token-bucket": ({ limit, window }: Quota) =>
    tokenBucket({ limit, refill: limit, per: `${window}ms` }),
  "sliding-window-log": ({ limit, window }: Quota) =>
    slidingWindowLog({ limit, window: `${window}ms` }),
  "sliding-window-counter": ({ limit, window }: Quota) =>
    slidingWindowCounter({ limit, window: `${window}ms` }),
  "segmented-window": ({ limit, window }: Quota) =>
    segmentedWindow({ limit, window: `${window}ms` }),
  "fixed-window": ({ limit, window }: Quota) => fixedWindow({ limit, window: `${window}ms` }),
};

type Algorithm = keyof typeof POLICIES;

/** The call that the product's own store sends for several policies at once. */
export function decisionCall(
  identity: string,
  cost: number,
  algorithms: readonly Algorithm[],
  quota: Quota,
): Promise<ScriptCall> {
  const compiled = compile(algorithms.map((name) => POLICIES[name](quota)));
  const keys = compiled.map(
    ({ algorithm, implementation: { code } }) => `tg:{${identity}}:${algorithm}:${code}`,
  );
  return capture((redis) =>
    Promise.resolve(
      redisStore(redis as RedisClient, ALL_SCRIPTS).decide(
        "consume",
        keys,
        compiled.map(() => cost),
        compiled,
      ),
    ),
  );
}

/** Reads a reply as the product's own store does. */
async function admitsReply(reply: unknown): Promise<boolean> {
  const redis = { evalsha: async () => reply, eval: async () => reply };
  const [policy] = compile([fixedWindow({ limit: 1, window: "1s" })]);
  const { rows } = await redisStore(redis).decide("consume", ["key"], [1], [policy!]);
  return rows.every(({ allowed }) => allowed);
}

export function tidegate(algorithm: Algorithm): Subject {
  return {
    name: algorithm,
    call: (identity, cost, quota) => decisionCall(identity, cost, [algorithm], quota),
    admits: admitsReply,
  };
}

function upstash(
  name: string,
  limiterOf: (quota: Quota) => ReturnType<typeof Ratelimit.fixedWindow>,
): Subject {
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
