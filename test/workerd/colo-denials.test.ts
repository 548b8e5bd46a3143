import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import { coloDenials } from "../../src/cloudflare.ts";
import type { Limiter } from "../../src/decide/limiter-types.ts";
import { createGateway } from "../../src/gateway/gateway.ts";
import { createLimiter } from "../../src/limiter/create-limiter.ts";

const redis = {
  url: String(env["UPSTASH_REDIS_REST_URL"]),
  token: String(env["UPSTASH_REDIS_REST_TOKEN"]),
};

/** How long it takes until the bucket has room again, in milliseconds. */
const REFILL = 2_000;

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A limiter that knows nothing of others, as one of another isolate. */
function isolate(name: string): Limiter {
  return createLimiter({
    redis,
    timeout: "5s",
    policies: [tokenBucket({ name: "one", limit: 1, refill: 1, per: `${REFILL}ms` })],
    sharedDenials: coloDenials(name),
  });
}

/** Two isolates, whose own knowledge of a denial has just run out. */
async function denied(user: string, ...isolates: readonly Limiter[]): Promise<void> {
  const reasons = [];
  for (const limiter of isolates) reasons.push((await limiter.limit(user)).reason);
  for (const limiter of isolates) reasons.push((await limiter.limit(user)).reason);
  expect(reasons).toEqual(["allowed", "limited", "cached-denial", "cached-denial"]);
  await sleep(REFILL + 100);
}

describe("coloDenials() in workerd, through its Cache API", () => {
  test("denies in another isolate what Redis denied this one", async () => {
    const [one, other] = [isolate("told"), isolate("told")];
    const user = crypto.randomUUID();
    await denied(user, one, other);
    expect((await one.limit(user)).reason).toBe("allowed");
    await sleep(50);
    const denial = await other.limit(user);
    expect(denial.reason).toBe("cached-denial");
    expect(denial.policies[0]!.remaining).toBe(0);
    expect(denial.retryAfterMs).toBeGreaterThan(0);
    expect(denial.retryAfterMs).toBeLessThanOrEqual(REFILL);
  });

  test("shares nothing under another name", async () => {
    const [one, other] = [isolate("here"), isolate("there")];
    const user = crypto.randomUUID();
    await denied(user, one, other);
    expect((await one.limit(user)).reason).toBe("allowed");
    await sleep(50);
    expect((await other.limit(user)).reason).toBe("limited");
  });

  test("forgets with a reset", async () => {
    const [one, other] = [isolate("reset"), isolate("reset")];
    const user = crypto.randomUUID();
    await denied(user, one, other);
    expect((await one.limit(user)).reason).toBe("allowed");
    await one.reset(user);
    await sleep(50);
    expect((await other.limit(user)).reason).toBe("allowed");
  });

  test.each([
    { SHARED_DENIALS: undefined, reason: "cached-denial" },
    { SHARED_DENIALS: "none", reason: "limited" },
  ])("is the gateway's default: $SHARED_DENIALS", async ({ SHARED_DENIALS, reason }) => {
    const policies = [{ ...tokenBucket({ limit: 1, refill: 1, per: `${REFILL}ms` }), name: "one" }];
    const variables = {
      ...env,
      ORIGIN: env["UPSTASH_REDIS_REST_URL"],
      TIMEOUT: "5s",
      PREFIX: crypto.randomUUID(),
      SHARED_DENIALS,
      RULES: [{ path: "/*", policies }],
    };
    const [one, other] = [1, 2].map(() => createGateway(variables, { coloDenials }));
    const ask = async (gateway: typeof one) => {
      const asked = { headers: { "cf-connecting-ip": "192.0.2.1" } };
      return (await gateway!.request("/", asked)).headers.get("X-RateLimit-Reason");
    };
    expect([await ask(one), await ask(other)]).toEqual([null, "limited"]);
    expect([await ask(one), await ask(other)]).toEqual(["cached-denial", "cached-denial"]);
    await sleep(REFILL + 100);
    expect(await ask(one)).toBe(null);
    await sleep(50);
    expect(await ask(other)).toBe(reason);
  });
});
