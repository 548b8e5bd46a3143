import { Ratelimit } from "@upstash/ratelimit";
import type { Redis } from "ioredis";

import type { CreateContender } from "./contender.ts";

type Limiter = ReturnType<typeof Ratelimit.tokenBucket>;

let runs = 0;

/** Its own script on a real Redis; it takes the time from the client, and so from the virtual clock. */
export function upstash(redis: Redis, limiter: Limiter): CreateContender {
  return ({ time, travel }, { isolates, cache }) => {
    let calls = 0;
    const prefix = `run-${++runs}`;
    const distant = {
      evalsha: async () => {
        throw new Error("NOSCRIPT");
      },
      async eval(script: string, keys: string[], args: unknown[]) {
        calls++;
        await travel();
        const plain = script.replace(/^#!lua.*\n/, "");
        const reply = await time.hold(redis.eval(plain, keys.length, ...keys, ...args.map(String)));
        await travel();
        return reply;
      },
    };
    const limiters = Array.from(
      { length: isolates },
      () =>
        new Ratelimit({
          redis: distant as never,
          limiter,
          prefix,
          timeout: 0,
          ...(!cache && { ephemeralCache: false }),
        }),
    );
    return {
      get calls() {
        return calls;
      },
      async limit(identity, isolate) {
        const { success, reason } = await limiters[isolate]!.limit(identity);
        return { allowed: success, local: reason === "cacheBlock" };
      },
      wouldAdmit: () => false,
    };
  };
}
