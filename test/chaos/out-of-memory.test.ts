import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";

import { createLimiter, type Limiter, type Policy } from "../../src/index.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { fillUp, makeRoom } from "./memory.ts";
import { type OwnStore, startOwnStore, TOKEN } from "./own-store.ts";

const limit = 12;
const POLICIES = everyPolicy(limit, "366d");

let store: OwnStore;
let redis: Redis;
beforeAll(async () => {
  store = await startOwnStore();
  redis = new Redis(store.redisUrl, { disableClientInfo: true });
});
afterAll(async () => {
  redis.disconnect();
  await store.stop();
});

function limiterOf(policies: readonly Policy[]): Limiter {
  return createLimiter({
    redis: { url: store.proxy.url, token: TOKEN },
    policies,
    onFailure: "open",
    timeout: "10s",
    // So that each denial shows who said it.
    denialCache: false,
    onStoreError: () => {},
  });
}

const left = async (limiter: Limiter, user: string) =>
  (await limiter.peek(user)).policies.map(({ remaining }) => remaining);

test("without memory Redis still denies, allows become the verdict, and no policy takes a part", async () => {
  // Each algorithm once is the first to write and once the last.
  const orders = POLICIES.map((_policy, i) => POLICIES.slice(i).concat(POLICIES.slice(0, i)));
  const users = await Promise.all(
    orders.map(async (policies) => {
      const limiter = limiterOf(policies);
      const [fresh, used, spent] = ["fresh", "used", "spent"].map(
        (name) => `${name}-${crypto.randomUUID()}`,
      ) as [string, string, string];
      await limiter.limit(used, { cost: 5 });
      await limiter.limit(spent, { cost: limit });
      return { limiter, fresh, used, spent };
    }),
  );

  await fillUp(redis);
  for (const { limiter, fresh, used, spent } of users) {
    for (const user of [fresh, used]) {
      // A denial in between, so that the breaker never counts to five.
      expect(await limiter.limit(spent)).toMatchObject({ status: 429, reason: "limited" });
      const decision = await limiter.limit(user);
      expect(decision).toMatchObject({
        status: 200,
        reason: "store-unavailable",
        error: { code: "ERR_STORE_REFUSED" },
      });
      expect(decision.error!.message).toMatch(/^Redis answered: OOM command not allowed/);
      expect(await limiter.limit(spent)).toMatchObject({ status: 429, reason: "limited" });
      expect(await limiter.charge(user, 3)).toMatchObject({ reason: "store-unavailable" });
    }
    expect(await left(limiter, fresh)).toEqual(Array(5).fill(limit));
    expect(await left(limiter, used)).toEqual(Array(5).fill(limit - 5));
    expect(await left(limiter, spent)).toEqual(Array(5).fill(0));
  }

  await makeRoom(redis);
  for (const { limiter, fresh, used, spent } of users) {
    expect((await limiter.limit(used, { cost: 2 })).reason).toBe("allowed");
    expect((await limiter.limit(fresh, { cost: 2 })).reason).toBe("allowed");
    expect((await limiter.limit(spent)).reason).toBe("limited");
    expect(await left(limiter, fresh)).toEqual(Array(5).fill(limit - 2));
    expect(await left(limiter, used)).toEqual(Array(5).fill(limit - 7));
  }
});
