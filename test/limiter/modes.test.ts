import { describe, expect, test } from "vitest";

import { everyPolicy } from "../support/every-policy.ts";
import {
  createLimiter,
  type Decision,
  fixedWindow,
  type LimiterOptions,
  slidingWindowLog,
} from "../support/limiter/plain.ts";
import { NO_ANSWER, watchedStore } from "../support/limiter/watched-store.ts";

const SECOND = 1_000_000;

function limiterOf(policies: LimiterOptions["policies"], options: Partial<LimiterOptions> = {}) {
  const { store, world, asked } = watchedStore();
  return { limiter: createLimiter({ store, policies, ...options }), world, asked };
}

const strict = slidingWindowLog({ name: "strict", limit: 5, window: "10s" });

describe.each(everyPolicy(2, "1h"))("a $algorithm in shadow", (policy) => {
  const shadow = { ...policy, name: "shadow", mode: "shadow" } as const;

  test("reports the verdict that it would have given", async () => {
    const { limiter, asked } = limiterOf([shadow, strict]);
    const wouldAllow = async (cost: number) => {
      const { allowed, shadow: rows } = await limiter.limit("ada", { cost });
      return [allowed, ...rows.map((row) => [row.name, row.allowed, row.remaining])];
    };
    expect(await wouldAllow(1)).toEqual([true, ["shadow", true, 1]]);
    expect(await wouldAllow(2)).toEqual([true, ["shadow", false, 1]]);
    // More than it ever has room for: the script is not asked to compute with it.
    for (const call of [limiter.peek, limiter.limit]) {
      const above = await call("ada", { cost: { shadow: 3 } });
      expect(above).toMatchObject({ allowed: true, shadow: [{ retryAfterMs: Infinity }] });
      expect(asked.at(-1)!.costs).toEqual([1, 0]);
    }
    expect(await wouldAllow(1)).toEqual([true, ["shadow", true, 0]]);
    const all = await limiter.limit("bob", { cost: 2 });
    expect(all.shadow).toMatchObject([{ allowed: true, remaining: 0 }]);
    const { shadow: rows } = JSON.parse(JSON.stringify(await limiter.peek("ada"))) as Decision;
    expect(rows).toMatchObject([{ name: "shadow", allowed: false }]);
    expect(JSON.stringify(await limiterOf([strict]).limiter.peek("ada"))).not.toContain("shadow");
  });

  test("alone lets all requests pass, and lists no policy", async () => {
    const { limiter, asked } = limiterOf([shadow]);
    for (const cost of [2, 1, 3, 1]) {
      expect(await limiter.limit("ada", { cost })).toMatchObject({
        allowed: true,
        reason: "allowed",
        policies: [],
      });
    }
    expect(asked).toHaveLength(4);
  });
});

describe("a soft policy", () => {
  const soft = fixedWindow({ name: "soft", limit: 2, window: "1m", mode: "soft" });

  test("denies nothing, and clients see it", async () => {
    const { limiter, asked } = limiterOf([soft, strict]);
    for (const remaining of [1, 0]) {
      expect((await limiter.limit("ada")).policies[0]).toMatchObject({ remaining, allowed: true });
    }
    const over = await limiter.limit("ada");
    expect(over).toMatchObject({
      allowed: true,
      reason: "allowed",
      status: 200,
      retryAfterMs: 0,
      policies: [
        { name: "soft", allowed: false, remaining: 0 },
        { name: "strict", remaining: 2 },
      ],
      shadow: [],
    });
    expect(over.headers().get("RateLimit-Policy")).toContain('"soft";q=2;w=60');
    expect(over.headers().has("Retry-After")).toBe(false);
    expect(asked).toHaveLength(3);
  });

  test("is none of the policies that a denial names, and no client waits for it", async () => {
    const { limiter } = limiterOf([soft, strict]);
    await limiter.limit("ada", { cost: 2 });
    await limiter.limit("ada", { cost: { soft: 0, strict: 3 } });
    const denied = await limiter.peek("ada");
    expect(denied).toMatchObject({ allowed: false, retryAfterMs: 10_000 });
    expect(denied.response().headers.get("Retry-After")).toBe("10");
    expect(await denied.response().json()).toMatchObject({ "violated-policies": ["strict"] });
  });
});

describe("a policy that counts denials", () => {
  const gate = fixedWindow({ name: "gate", limit: 1, window: "10s" });
  const ban = fixedWindow({ name: "ban", limit: 20, window: "1h", counts: "denials" });

  test.for([
    { order: "first", policies: [ban, gate] },
    { order: "last", policies: [gate, ban] },
  ])(
    "bans after 20 denials, those of the isolate included ($order)",
    async ({ order, policies }) => {
      const { limiter, world, asked } = limiterOf(policies);
      expect((await limiter.limit("ada")).allowed).toBe(true);
      for (let denial = 0; denial < 19; denial++) {
        expect((await limiter.limit("ada")).reason).toBe("cached-denial");
      }
      expect(asked).toHaveLength(1);
      // The store is asked by the denial that fills the ban, so that it begins now.
      expect(await limiter.limit("ada")).toMatchObject({
        reason: "limited",
        retryAfterMs: 3_600_000,
      });
      expect(asked.slice(1)).toMatchObject([{ costs: order === "first" ? [19, 1] : [1, 19] }]);
      world.nowUs += 10 * SECOND;
      const banned = await limiter.limit("ada");
      expect(banned.reason).toBe("cached-denial");
      expect(banned.policies.filter(({ allowed }) => !allowed).map(({ name }) => name)).toEqual([
        "ban",
      ]);
      expect(banned.retryAfterMs).toBe(3_590_000);
      expect(asked).toHaveLength(2);
      expect((await limiter.limit("bob")).allowed).toBe(true);
      world.nowUs += 3_590 * SECOND;
      expect((await limiter.limit("ada")).allowed).toBe(true);
    },
  );

  test("counts each denial of the store once, and none that it denies itself", async () => {
    const { limiter, world } = limiterOf([gate, { ...ban, limit: 3 }], { denialCache: false });
    const left = async () => (await limiter.limit("ada")).policies[1]!.remaining;
    expect([await left(), await left(), await left(), await left()]).toEqual([3, 2, 1, 0]);
    world.nowUs += 10 * SECOND;
    const reset = (await limiter.peek("ada")).policies[1]!.resetAfterMs;
    for (let request = 0; request < 5; request++) expect(await left()).toBe(0);
    expect((await limiter.peek("ada")).policies[1]!.resetAfterMs).toBe(reset);
  });

  test.for([
    { split: "of one key", policy: gate },
    { split: "of shards", policy: { ...gate, limit: 4, shards: 2 } },
  ])("counts a request whose cost never fits, but no look at it ($split)", async ({ policy }) => {
    const { limiter, world } = limiterOf([policy, { ...ban, limit: 2 }]);
    for (let look = 0; look < 3; look++) {
      expect((await limiter.peek("ada", { cost: 5 })).reason).toBe("cost-exceeds-limit");
    }
    expect((await limiter.limit("ada")).allowed).toBe(true);
    for (let request = 0; request < 2; request++) {
      expect((await limiter.limit("ada", { cost: 5 })).reason).toBe("cost-exceeds-limit");
    }
    world.nowUs += 10 * SECOND;
    expect(await limiter.limit("ada")).toMatchObject({ allowed: false, reason: "limited" });
  });

  test.for([
    { known: "with", denialCache: { maxEntries: 10 } },
    { known: "without", denialCache: false },
  ] as const)("denies alone where no other takes part, $known a cache", async ({ denialCache }) => {
    const policies = [
      { ...gate, by: "ip" },
      { ...ban, by: "key" },
    ];
    const { limiter, world } = limiterOf(policies, { denialCache });
    for (let request = 0; request < 21; request++) await limiter.limit({ ip: "a", key: "k" });
    world.nowUs += 10 * SECOND;
    expect((await limiter.limit({ ip: "a", key: "k" })).allowed).toBe(false);
    expect((await limiter.limit({ key: "k" })).allowed).toBe(false);
    expect((await limiter.limit({ key: "other" })).allowed).toBe(true);
    expect((await limiter.limit({ ip: "a" })).allowed).toBe(true);
  });

  test("counts in an outage, too", async () => {
    const { limiter, world } = limiterOf([gate, { ...ban, limit: 3 }]);
    world.failure = NO_ANSWER;
    const answers: boolean[] = [];
    for (let request = 0; request < 4; request++) {
      answers.push((await limiter.limit("ada")).allowed);
    }
    expect(answers).toEqual([true, false, false, false]);
    world.nowUs += 10 * SECOND;
    expect((await limiter.limit("ada")).allowed).toBe(false);
  });
});
