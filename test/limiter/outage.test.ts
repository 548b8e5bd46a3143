import { afterEach, beforeEach, expect, test } from "vitest";

import { type Bridge, startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { type RedisServer, startRedisServer } from "../../scripts/support/redis-server.ts";
import {
  createLimiter,
  type Decision,
  fixedWindow,
  type StoreError,
  tokenBucket,
} from "../support/limiter/plain.ts";

let server: RedisServer;
let bridge: Bridge;
let errors: StoreError[];
beforeEach(async () => {
  server = await startRedisServer();
  bridge = await startBridge({ redis: server.url, port: 0, token: "t" });
  errors = [];
});
afterEach(async () => {
  await bridge.close();
  await server.stop();
});

function limiterOn(policies: Parameters<typeof createLimiter>[0]["policies"]) {
  return createLimiter({
    redis: { url: bridge.url, token: "t" },
    policies,
    // Ample, because a machine under load stalls this process, too.
    timeout: "10s",
    onStoreError: (error) => errors.push(error),
  });
}

/** Decisions, one after the other, for as long as the condition holds. */
async function load(limit: () => Promise<Decision>, goOn: (last: Decision) => boolean) {
  const decisions: Decision[] = [];
  do {
    decisions.push(await limit());
    await new Promise((resolve) => setTimeout(resolve, 2));
  } while (goOn(decisions.at(-1)!));
  return decisions;
}

test("a script flush under load fails no request", async () => {
  const limiter = limiterOn([fixedWindow({ limit: 1_000_000, window: "1d" })]);
  const admin = new (await import("ioredis")).Redis(server.url);
  const identity = crypto.randomUUID();
  const requests = 300;
  const decisions = await Promise.all(
    Array.from({ length: requests }, async (_, request) => {
      await new Promise((resolve) => setTimeout(resolve, request));
      if (request % 50 === 25) await admin.script("FLUSH");
      return limiter.limit(identity);
    }),
  );
  expect(errors).toEqual([]);
  expect(decisions.map(({ reason }) => reason)).toEqual(Array(requests).fill("allowed"));
  expect((await limiter.peek(identity)).policies[0]!.remaining).toBe(1_000_000 - requests);
  expect(errors).toEqual([]);
  admin.disconnect();
});

test("Redis killed under load and back: each policy's verdict within the timeout, then exact again", async () => {
  const policies = (onFailure: "open" | "closed" | "local") => [
    fixedWindow({ name: onFailure, limit: 30, window: "1d", onFailure }),
  ];
  const [open, closed, local] = [
    limiterOn(policies("open")),
    limiterOn(policies("closed")),
    limiterOn(policies("local")),
  ];
  const identity = crypto.randomUUID();
  for (const limiter of [open, closed, local]) await limiter.limit(identity, { cost: 10 });

  server.kill("SIGKILL");
  // Forty requests each: ten more than the limit.
  const ask = async (limiter: typeof open) => {
    let left = 40;
    return load(
      () => limiter.limit(identity),
      () => --left > 0,
    );
  };
  const [opened, shut, counted] = await Promise.all([ask(open), ask(closed), ask(local)]);
  for (const decision of [...opened, ...shut, ...counted]) {
    expect(decision.reason).toBe("store-unavailable");
    expect(decision.error!.code).toMatch(/^ERR_STORE_/);
    expect(decision.headers().get("X-RateLimit-Reason")).toBe("store-unavailable");
  }
  expect(opened.every(({ allowed }) => allowed)).toBe(true);
  expect(shut.some(({ allowed }) => allowed)).toBe(false);
  expect(shut[0]!.response().status).toBe(503);
  // Redis was seen to admit ten.
  expect(counted.filter(({ allowed }) => allowed)).toHaveLength(20);
  expect(counted.at(-1)!.response().status).toBe(429);
  // The outage is said once per limiter, not once per request.
  expect(errors).toHaveLength(3);

  server = await startRedisServer({ port: server.port });
  const back = performance.now();
  const recovered = await load(
    () => open.limit(identity),
    ({ reason }) => reason !== "allowed" && performance.now() - back < 5_000,
  );
  expect(recovered.at(-1)!.reason).toBe("allowed");
  expect(performance.now() - back).toBeLessThan(2_000);
  // The new server is empty, and counts exactly from here.
  expect(recovered.at(-1)!.policies[0]!.remaining).toBe(29);
  expect((await open.limit(identity)).policies[0]!.remaining).toBe(28);
});

test("Redis hanging: the timeout is kept, and the open breaker adds nothing to it", async () => {
  const limiter = createLimiter({
    redis: { url: bridge.url, token: "t" },
    policies: [tokenBucket({ limit: 1_000, refill: 1, per: "1s" })],
    timeout: "80ms",
    onFailure: "open",
    onStoreError: (error) => errors.push(error),
  });
  const identity = crypto.randomUUID();
  await limiter.limit(identity);
  server.kill("SIGSTOP");
  const start = performance.now();
  try {
    let left = 40;
    const decisions = await load(
      () => limiter.limit(identity),
      () => --left > 0,
    );
    // Five failures open the breaker; after that one probe per second waits for the timeout, and no other request does.
    const seconds = (performance.now() - start) / 1000;
    const waited = decisions.filter(({ error }) => error!.code === "ERR_STORE_TIMEOUT");
    expect(waited.length).toBeGreaterThanOrEqual(5);
    expect(waited.length).toBeLessThanOrEqual(5 + seconds);
    expect(decisions.every(({ allowed }) => allowed)).toBe(true);
    expect(decisions.slice(0, 6).map(({ error }) => error!.code)).toEqual([
      ...Array<string>(5).fill("ERR_STORE_TIMEOUT"),
      "ERR_STORE_SUSPENDED",
    ]);
    expect(errors.map(({ code }) => code)).toEqual(["ERR_STORE_TIMEOUT"]);
  } finally {
    server.kill("SIGCONT");
  }
});

test("a reset that Redis does not confirm is an error", async () => {
  const limiter = limiterOn([fixedWindow({ limit: 1, window: "1d" })]);
  server.kill("SIGKILL");
  await expect(limiter.reset("somebody")).rejects.toMatchObject({ name: "StoreError" });
});

test("a refused token is reported as such", async () => {
  const limiter = createLimiter({
    redis: { url: bridge.url, token: "wrong" },
    timeout: "10s",
    policies: [fixedWindow({ limit: 1, window: "1d" })],
    onStoreError: (error) => errors.push(error),
  });
  const { error } = await limiter.limit("somebody");
  expect(error).toMatchObject({
    code: "ERR_STORE_UNAUTHORIZED",
    message:
      "redis.token: (hidden): Redis rejected it. Copy the REST token again from the console of your Redis.",
  });
  expect(errors).toEqual([error]);
});
