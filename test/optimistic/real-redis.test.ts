import { afterEach, beforeEach, describe, expect, inject, test, vi } from "vitest";

import { openDistance } from "../../bench/benchmark/distance/distant.ts";
import { bundle } from "../../bench/support/bundle.ts";
import { runWorker } from "../../bench/support/run-worker.ts";
import { type Bridge, startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { createLimiter, type Policy, tokenBucket } from "../support/limiter/plain.ts";

let bridge: Bridge;
beforeEach(async () => {
  bridge = await startBridge({ redis: inject("redisUrl"), port: 0, token: "t" });
});
afterEach(() => bridge.close());

const PATIENCE = { timeout: 15_000 };

describe.each(everyPolicy(20, "1d"))("$algorithm on a real Redis", (policy) => {
  const limiterOn = (options: Pick<Policy, "optimistic">, url = bridge.url) =>
    createLimiter({
      redis: { url, token: "t" },
      timeout: "10s",
      policies: [{ ...policy, name: `ahead-${policy.algorithm}`, ...options }],
    });

  test("counts every unit once, with a call each, and is exact near the limit", async () => {
    const strict = limiterOn({});
    const identity = crypto.randomUUID();
    // It loads the script, where Redis has none.
    await strict.peek(identity);
    const before = bridge.requests;
    let peeks = 0;
    const limiter = limiterOn({ optimistic: true });
    const reasons: string[] = [];
    for (let i = 0; i < 20; i++) {
      reasons.push((await limiter.limit(identity)).reason);
      await vi.waitFor(async () => {
        peeks++;
        expect((await strict.peek(identity)).policies[0]!.remaining).toBe(19 - i);
      }, PATIENCE);
    }
    expect(reasons[0]).toBe("optimistic");
    expect(reasons.slice(0, 10).every((each) => /^(optimistic|allowed)$/.test(each))).toBe(true);
    expect(reasons.slice(10)).toEqual(Array.from({ length: 10 }, () => "allowed"));
    expect(bridge.requests - before).toBe(20 + peeks);
    for (let i = 0; i < 5; i++) {
      expect((await limiter.limit(identity)).reason).toBe("cached-denial");
    }
    expect(bridge.requests - before).toBe(20 + peeks);
    expect((await limiterOn({}).peek(identity)).policies[0]!.remaining).toBe(0);
  });

  test("isolates that know nothing exceed it by u each, and the excess is missing later", async () => {
    const identity = crypto.randomUUID();
    expect((await limiterOn({}).limit(identity, { cost: 20 })).allowed).toBe(true);
    const before = bridge.requests;
    const crowd = Array.from({ length: 4 }, () => limiterOn({ optimistic: { unsettled: 3 } }));
    const asked = crowd.flatMap((each) => Array.from({ length: 6 }, () => each.limit(identity)));
    const decisions = await Promise.all(asked);
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(12);
    // One unit at once and two together, of each isolate, and the requests that waited for answers of their own.
    expect(bridge.requests - before).toBeLessThanOrEqual(4 * (2 + 3));
    await vi.waitFor(async () => {
      const after = await Promise.all(crowd.map((each) => each.limit(identity)));
      expect(after.every(({ reason }) => reason === "cached-denial")).toBe(true);
    }, PATIENCE);
  });
});

test("a breaker that is open ends it: each policy's onFailure decides", async () => {
  let fail!: () => void;
  const failed = new Promise<void>((resolve) => (fail = resolve));
  const limiter = createLimiter({
    redis: { url: "http://127.0.0.1:9", token: "t" },
    onFailure: "closed",
    onStoreError: () => fail(),
    policies: [tokenBucket({ name: "gone", limit: 20, refill: 1, per: "1h", optimistic: true })],
  });
  expect((await limiter.limit("user-0")).reason).toBe("optimistic");
  await failed;
  // The settlement hears of it after the listener.
  await new Promise((resolve) => setTimeout(resolve));
  const reasons = new Set<string>();
  for (let i = 1; i < 12; i++) reasons.add((await limiter.limit(`user-${i}`)).reason);
  expect(reasons).toEqual(new Set(["store-unavailable"]));
});

test(
  "in workerd, requests of one isolate are answered before Redis, and all of them are counted after their responses",
  { timeout: 60_000 },
  async () => {
    const far = await openDistance(bridge.url, 150);
    const worker = await runWorker(
      await bundle(`
        import { createLimiter, fixedWindow, optimistic } from "./src/index.ts";
        const policy = { name: "worker", limit: 1000, window: "1d" };
        const redis = { url: ${JSON.stringify(far.url)}, token: "t" };
        const ahead = createLimiter({
          redis, timeout: "10s", policies: [fixedWindow({ ...policy, optimistic: optimistic({ unsettled: 8 }) })] });
        const strict = createLimiter({ redis, timeout: "10s", policies: [fixedWindow(policy)] });
        export default {
          async fetch(request) {
            const { pathname, search } = new URL(request.url);
            const decision = await (search ? strict.peek(pathname) : ahead.limit(pathname));
            return Response.json({ reason: decision.reason, left: decision.policies[0].remaining });
          },
        };`),
    );
    try {
      const ask = async (path: string) =>
        (await (await fetch(worker.url + path)).json()) as { reason: string; left: number };
      const identity = `/${crypto.randomUUID()}`;
      const first = await Promise.all(Array.from({ length: 8 }, () => ask(identity)));
      expect(first.map(({ reason }) => reason)).toEqual(first.map(() => "optimistic"));
      expect(first.map(({ left }) => left).toSorted()).toEqual([
        992, 993, 994, 995, 996, 997, 998, 999,
      ]);
      await vi.waitFor(
        async () => expect((await ask(`${identity}?peek`)).left).toBe(992),
        PATIENCE,
      );
      // Its units are open no more: it has learnt their answers.
      await vi.waitFor(
        async () => expect((await ask(identity)).reason).toBe("optimistic"),
        PATIENCE,
      );
    } finally {
      await worker.stop();
      await far.close();
    }
  },
);
