import fc from "fast-check";
import { beforeAll, expect, inject, vi } from "vitest";

import {
  createLimiter,
  type Decision,
  fixedWindow,
  limit,
  type Limiter,
  type Policy,
  segmentedWindow,
  slidingWindowCounter,
  slidingWindowLog,
  TidegateError,
  tokenBucket,
} from "../../src/index.ts";
import { fuzz } from "./fuzz.ts";
import { hostileText, hostileValue } from "./hostile.ts";
import { realize, Trap } from "./made.ts";

/** So long that no unit comes back while a property runs. */
const window = "30d";
const POLICIES: readonly Policy[] = [
  tokenBucket({ limit: 1_000, refill: 1_000, per: window }),
  slidingWindowLog({ limit: 50, window }),
  slidingWindowCounter({ limit: 1e9, window }),
  segmentedWindow({ limit: 7, window }),
  fixedWindow({ limit: 1, window }),
];
const WINDOW_MS = 30 * 86_400_000;

let limiter: Limiter;
let redis: { url: string; token: string };
beforeAll(() => {
  redis = { url: inject("redisRestUrl"), token: inject("redisRestToken") };
  vi.stubEnv("UPSTASH_REDIS_REST_URL", redis.url);
  vi.stubEnv("UPSTASH_REDIS_REST_TOKEN", redis.token);
  limiter = createLimiter({
    redis,
    timeout: "10s",
    policies: POLICIES,
    prefix: crypto.randomUUID(),
  });
  return () => vi.unstubAllEnvs();
});

const identity = fc.oneof(hostileText, hostileValue);
const cost = fc.oneof(
  fc.maxSafeNat(),
  fc.nat(60),
  fc.constantFrom(0, 1, 2 ** 53 - 1),
  hostileValue,
);

/** Whether it is a cost, or costs by the names of policies, of which a hostile one names none. */
function isRightCost(cost: unknown): boolean {
  if (cost === undefined || (Number.isSafeInteger(cost) && Number(cost) >= 0)) return true;
  try {
    const isRecord = Object.prototype.toString.call(cost) === "[object Object]";
    return isRecord && Object.keys(cost as object).length === 0;
  } catch {
    return false;
  }
}

/** A decision, or `undefined` where the call was refused for a reason that it has. */
async function decided(call: () => Promise<Decision>, identity: unknown, cost: unknown) {
  const isIdentity = typeof identity === "string" && identity !== "";
  const isCost = isRightCost(cost);
  try {
    const decision = await call();
    expect([isIdentity, isCost]).toEqual([true, true]);
    return decision;
  } catch (error) {
    if (error instanceof Trap) {
      expect(isCost).toBe(false);
      return undefined;
    }
    if (!(error instanceof TidegateError)) throw error;
    expect(["ERR_IDENTITY", "ERR_COST"]).toContain(error.code);
    expect(error.code === "ERR_IDENTITY" ? isIdentity : isCost).toBe(false);
    return undefined;
  }
}

const ANSWERED = ["allowed", "limited", "cached-denial", "cost-exceeds-limit"];

function expectSane(
  decision: Decision,
  policies: readonly Policy[],
  cost: unknown,
  reasons: readonly string[] = ANSWERED,
): void {
  expect(reasons).toContain(decision.reason);
  expect(decision.policies).toHaveLength(policies.length);
  decision.policies.forEach(({ remaining, retryAfterMs, resetAfterMs, allowed }, i) => {
    const { limit } = policies[i]!;
    expect(Number.isInteger(remaining)).toBe(true);
    expect(remaining).toBeGreaterThanOrEqual(0);
    expect(remaining).toBeLessThanOrEqual(limit);
    const never = decision.reason === "cost-exceeds-limit" && Number(cost) > limit;
    if (never) expect([allowed, retryAfterMs]).toEqual([false, Infinity]);
    else expect(retryAfterMs).toBeLessThanOrEqual(2 * WINDOW_MS);
    expect(retryAfterMs).toBeGreaterThanOrEqual(0);
    expect(resetAfterMs).toBeGreaterThanOrEqual(0);
    expect(resetAfterMs).toBeLessThanOrEqual(2.2 * WINDOW_MS);
  });
  expect(decision.headers().get("ratelimit")).toMatch(/^("[\w.-]+";r=\d+;t=\d+(, |$))+$/);
  if (!decision.allowed)
    expect(decision.response().headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
}

fuzz("limit() decides or says what is wrong with its arguments", 400, () =>
  fc.asyncProperty(identity, cost, fc.nat(POLICIES.length - 1), async (who, what, which) => {
    const [someone, units, policy] = [realize(who), realize(what), POLICIES[which]!];
    const call = () => limit(someone as string, policy, { cost: units as number });
    const decision = await decided(call, someone, units);
    // Its timeout is short: on a busy machine it may run out.
    if (decision) expectSane(decision, [policy], units, [...ANSWERED, "store-unavailable"]);
  }),
);

fuzz("a limiter's methods decide or say what is wrong with their arguments", 400, () =>
  fc.asyncProperty(
    identity,
    fc.array(fc.tuple(fc.constantFrom("limit", "peek", "charge"), cost), { maxLength: 5 }),
    async (who, calls) => {
      const someone = realize(who) as string;
      for (const [method, what] of calls) {
        const units = realize(what) as number;
        const call = () => {
          if (method === "charge") return limiter.charge(someone, units);
          return limiter[method as "limit" | "peek"](someone, { cost: units });
        };
        // Only a charge has no cost by itself.
        const asked = method === "charge" ? (units ?? null) : units;
        const decision = await decided(call, someone, asked);
        if (decision) expectSane(decision, POLICIES, units);
      }
      const reset = async () => {
        await limiter.reset(someone);
        return limiter.peek(someone);
      };
      const fresh = await decided(reset, someone, 1);
      fresh?.policies.forEach(({ remaining, limit }) => expect(remaining).toBe(limit));
    },
  ),
);
