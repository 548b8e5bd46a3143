import { fixedWindow } from "../../../src/algorithms/fixed-window.ts";
import { segmentedWindow } from "../../../src/algorithms/segmented-window.ts";
import { slidingWindowCounter } from "../../../src/algorithms/sliding-window-counter.ts";
import { slidingWindowLog } from "../../../src/algorithms/sliding-window-log.ts";
import { tokenBucket } from "../../../src/algorithms/token-bucket.ts";
import { ALL_SCRIPTS } from "../../../src/store/redis/all-scripts.ts";
import type { RedisClient } from "../../../src/store/redis/client.ts";
import { redisStore } from "../../../src/store/redis/store.ts";
import { compile } from "../../../test/support/compile-policy.ts";
import { capture, type ScriptCall } from "./capture.ts";
import type { Quota, Subject } from "./subject.ts";

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
export async function admitsReply(reply: unknown): Promise<boolean> {
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
