import { expect, inject, onTestFinished, test } from "vitest";

import { createLimiter, fixedWindow } from "../../src/index.ts";
import { startFaultProxy } from "../support/fault-proxy.ts";
import { gatewayTo, quota, startOrigin } from "../support/gateway/gateway.ts";
import { meteredGateways } from "../support/metrics/metered-gateway.ts";

const rules = [
  {
    path: "/api/*",
    partition: ["header:x-user-id"],
    onMissing: "reject",
    policies: [quota("api", 5), { ...quota("hidden", 9), advertise: false }],
    quota: true,
  },
  {
    path: "/items/:id",
    partition: ["path:id"],
    onMissing: "reject",
    policies: [quota("items", 5)],
    quota: true,
  },
  { path: "/other", policies: [quota("other", 7)] },
];

async function setUp(variables = {}) {
  const { url, seen } = await startOrigin();
  const ask = gatewayTo(url, rules, variables);
  const quotaOf = async (user: string) => {
    const answer = await ask("/_tidegate/quota", { headers: { "x-user-id": user } });
    const { policies } = (await answer.json()) as {
      policies: { name: string; remaining: number }[];
    };
    return policies.map(({ name, remaining }) => `${name} ${remaining}`);
  };
  return { ask, quotaOf, seen };
}

test("a client learns its remaining units, and asking takes none of them", async () => {
  const { ask, quotaOf, seen } = await setUp();
  expect(await quotaOf("ada")).toEqual(["api 5"]);
  await ask("/api/x", { headers: { "x-user-id": "ada" } });
  for (let i = 0; i < 3; i++) expect(await quotaOf("ada")).toEqual(["api 4"]);
  expect(await quotaOf("bob")).toEqual(["api 5"]);
  expect(seen.map(({ target }) => target)).toEqual(["/api/x"]);
});

test("asking is one call of Redis, whatever the number of rules, and none for a client without an identity", async () => {
  const proxy = await startFaultProxy(inject("redisRestUrl"));
  onTestFinished(() => proxy.stop());
  const { url } = await startOrigin();
  const many = Array.from({ length: 12 }, (_, i) => ({
    path: `/api/${i}/*`,
    partition: i % 2 === 0 ? ["header:x-user-id"] : ["ip"],
    onMissing: "reject",
    ...(i % 3 === 0 && { plan: "header:x-plan" }),
    policies: [quota(`api-${i}`, 5 + i)],
    quota: true,
  }));
  const ask = gatewayTo(url, many, {
    STORE: "redis",
    UPSTASH_REDIS_REST_URL: proxy.url,
    UPSTASH_REDIS_REST_TOKEN: inject("redisRestToken"),
    PREFIX: crypto.randomUUID(),
    TIMEOUT: "10s",
    PLANS: { gold: { "api-3": { limit: 50 } } },
  });
  const quotaOf = async (headers: Record<string, string>) => {
    const before = proxy.received.length;
    const answer = await ask("/_tidegate/quota", { headers });
    const { policies } = (await answer.json()) as { policies: { name: string; limit: number }[] };
    return {
      calls: proxy.received.length - before,
      limits: policies.map(({ name, limit }) => `${name} ${limit}`),
    };
  };
  // Redis does not have the script yet.
  await quotaOf({ "x-user-id": "ada" });
  const own = many.map((_, i) => `api-${i} ${5 + i}`);
  expect(await quotaOf({ "x-user-id": "ada" })).toEqual({ calls: 1, limits: own });
  const gold = own.map((each) => (each === "api-3 8" ? "api-3 50" : each));
  // The rules without plans are asked apart.
  expect(await quotaOf({ "x-user-id": "ada", "x-plan": "gold" })).toEqual({
    calls: 2,
    limits: gold,
  });
  const anonymous = own.filter((_, i) => i % 2 === 1);
  expect(await quotaOf({})).toEqual({ calls: 1, limits: anonymous });
});

test("a client without an identity learns nothing", async () => {
  const { ask } = await setUp();
  expect(await (await ask("/_tidegate/quota")).json()).toEqual({ policies: [] });
});

test("an address asks at most 60 times a minute, under any identity", async () => {
  const { ask } = await setUp();
  const statuses: number[] = [];
  for (let i = 0; i < 61; i++) {
    statuses.push((await ask("/_tidegate/quota", { headers: { "x-user-id": `${i}` } })).status);
  }
  expect(statuses).toEqual([...Array<number>(60).fill(200), 429]);
  const other = { headers: { "cf-connecting-ip": "192.0.2.2" } };
  expect((await ask("/_tidegate/quota", other)).status).toBe(200);
});

test("asking takes no units that a library beside the gateway counts by the same name and address", async () => {
  const gateways = await meteredGateways(rules);
  const { ask } = gateways.open();
  for (let i = 0; i < 3; i++) expect((await ask("/_tidegate/quota")).status).toBe(200);
  const library = createLimiter({
    redis: { url: inject("redisRestUrl"), token: inject("redisRestToken") },
    prefix: gateways.prefix,
    policies: [fixedWindow({ name: "quota", limit: 60, window: "1m" })],
  });
  expect((await library.peek("192.0.2.1")).policies).toMatchObject([{ remaining: 60 }]);
});

test("a blocked client learns nothing, and its answers may not be stored", async () => {
  const { ask } = await setUp({ LISTS: { deny: [{ identity: "x-user-id:eve" }] } });
  const blocked = await ask("/_tidegate/quota", { headers: { "x-user-id": "eve" } });
  expect(blocked.status).toBe(403);
  const told = await ask("/_tidegate/quota", { headers: { "x-user-id": "ada" } });
  expect(told.headers.get("cache-control")).toBe("no-store");
});

test("without a rule that allows it, there is nothing at the path", async () => {
  const { url } = await startOrigin();
  const ask = gatewayTo(url, [rules[2]]);
  expect((await ask("/_tidegate/quota")).status).toBe(404);
});
