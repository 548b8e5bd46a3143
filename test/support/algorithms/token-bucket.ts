import { tokenBucket } from "../../../src/algorithms/token-bucket.ts";
import { burstAboveRate } from "../model/trailing-window.ts";
import type { AlgorithmFacts } from "./facts.ts";
import { ADMITTED, denied, type Ledger, type Terms } from "./ledger.ts";

/** A bucket of `limit` units that is full again after `windowUs`. */
function bucket({ limit, windowUs }: Terms): Ledger {
  let left = limit;
  let seenUs = 0;
  return {
    ask(nowUs) {
      left = Math.min(limit, left + ((nowUs - seenUs) * limit) / windowUs);
      seenUs = nowUs;
      if (left < 1) return denied(((1 - left) * windowUs) / limit);
      left--;
      return ADMITTED;
    },
  };
}

export const tokenBucketFacts: AlgorithmFacts = {
  algorithm: "token-bucket",
  of: (limit, per) => tokenBucket({ limit, refill: limit, per }),
  commands: {
    first: { time: 1, get: 1, set: 1 },
    allow: { time: 1, get: 1, setrange: 1 },
    deny: { time: 1, get: 1 },
  },
  // The deepest debt is a whole bucket.
  longestWait: 2,
  longestWaitUs: (_policy, windowUs) => 2 * windowUs,
  excessOf: ({ limit, parameters: { intervalUs, divisor } }, admissions) =>
    burstAboveRate(admissions, intervalUs!, divisor!) - limit,
  promise: "rate",
  ledger: bucket,
  refills: true,
  tightens: "limit",
  filled: [{ limit: 100, cost: 1, shares: [0, 0.001, 0.002] }],
  attacked: [
    tokenBucket({ limit: 20, refill: 10, per: "1s" }),
    tokenBucket({ limit: 7, refill: 3, per: "1s" }),
    tokenBucket({ limit: 100, refill: 999_983, per: "7m" }),
  ],
  compiled: [
    {
      policy: tokenBucket({ limit: 20, refill: 10, per: "1s" }),
      name: "token-bucket-20-10-per-1s",
      parameters: [100_000, 1],
      window: 2,
    },
    {
      policy: tokenBucket({ limit: 20, refill: 7, per: "1s" }),
      name: "token-bucket-20-7-per-1s",
      parameters: [1_000_000, 7],
      window: 20 / 7,
    },
  ],
};
