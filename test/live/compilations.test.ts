import { Redis } from "ioredis";
import { expect, inject, onTestFinished, test } from "vitest";

import { admin } from "../../src/admin.ts";
import { EVERY_GATEWAY_FEATURE } from "../../src/gateway/every-feature.ts";
import { gatewayWith } from "../../src/gateway/gateway.ts";
import { liveKeys } from "../../src/live/keys.ts";
import { quota, startOrigin } from "../support/gateway/gateway.ts";
import { ADMIN_TOKEN, DEPLOYED, limited } from "../support/live/live-gateway.ts";

/** An isolate with one deployed rule, and how often it has compiled a rule of any document. */
async function startIsolate(prefix: string = crypto.randomUUID()) {
  const { plans } = EVERY_GATEWAY_FEATURE;
  let compiled = 0;
  const compilePlan: typeof plans.compilePlan = (...given) => {
    compiled++;
    return plans.compilePlan(...given);
  };
  const origin = await startOrigin();
  const gateway = gatewayWith({ ...EVERY_GATEWAY_FEATURE, plans: { ...plans, compilePlan } })(
    {
      ORIGIN: origin.url,
      UPSTASH_REDIS_REST_URL: inject("redisRestUrl"),
      UPSTASH_REDIS_REST_TOKEN: inject("redisRestToken"),
      PREFIX: prefix,
      TIMEOUT: "10s",
      CLIENT_IP: "cloudflare",
      METRICS: "off",
      RULES: DEPLOYED,
      ADMIN_TOKEN,
    },
    { admin },
  );
  const ask = (path: string, headers: object) =>
    gateway.fetch(
      new Request(`http://gateway.example${path}`, {
        headers: { "cf-connecting-ip": "192.0.2.1", ...headers },
      }),
    );

  return {
    prefix,
    ask,
    /** The compilations since the last time. */
    compiled: () => compiled - (compiled = 0),
    async call(method: string, path: string, body?: object, version?: number) {
      const response = await gateway.fetch(
        new Request(`http://gateway.example/_tidegate/api/v1${path}`, {
          method,
          headers: {
            "cf-connecting-ip": "192.0.2.1",
            Authorization: `Bearer ${ADMIN_TOKEN}`,
            "Content-Type": "application/json",
            ...(version !== undefined && { "If-Match": `"${version}"` }),
          },
          ...(body && { body: JSON.stringify(body) }),
        }),
      );
      const text = await response.text();
      expect([response.ok, text]).toEqual([true, text]);
    },
    /** The limit of the policy in force for a client. */
    async limit(user: string) {
      const { headers } = await ask("/api/x", { "x-user-id": user });
      return headers.get("x-ratelimit-limit");
    },
  };
}

/** Writes over Redis, as another isolate or program. */
function writer(prefix: string) {
  const keys = liveKeys(prefix);
  const redis = new Redis(inject("redisUrl"), { disableClientInfo: true });
  onTestFinished(() => redis.disconnect());
  let revision = Date.now() * 1000 + 60_000_000;
  return {
    document: (document: object, version: number) =>
      redis.hset(keys.state, {
        revision: ++revision,
        version,
        publishedAt: 1,
        document: JSON.stringify(document),
      }),
    entry: (field: string, entry: object) =>
      redis
        .multi()
        .hset(keys.entries, field, JSON.stringify({ entry, at: 1, by: "admin:0" }))
        .hset(keys.state, { revision: ++revision })
        .exec(),
  };
}

test("a document is compiled once from its dry run to its enforcement, and not for its entries", async () => {
  const { ask, call, compiled, limit } = await startIsolate();
  expect(compiled()).toBe(1);
  expect(await limit("ada")).toBe("5");
  expect(compiled()).toBe(0);

  await call("PUT", "/rules?dry-run", limited(10));
  expect(compiled()).toBe(1);
  await call("PUT", "/rules", limited(10), 0);
  expect([await limit("ada"), compiled()]).toEqual(["10", 0]);

  await call("PUT", "/lists/deny", { identity: "x-user-id:eve" });
  await call("PUT", "/overrides", { identity: "x-user-id:ada", policies: { api: { limit: 50 } } });
  expect((await ask("/api/x", { "x-user-id": "eve" })).status).toBe(403);
  expect([await limit("ada"), compiled()]).toEqual(["50", 0]);

  await call("GET", "/rules?held");
  await call("POST", "/explain", { path: "/api/x", headers: { "x-user-id": "eve" } });
  await call("PUT", "/rules", { ...limited(10), lists: { deny: [{ country: "ZZ" }] } }, 1);
  expect([await limit("ada"), compiled()]).toEqual(["50", 0]);
});

test("a draft is compiled once, and a version that is rolled back to, too", async () => {
  const { call, compiled, limit } = await startIsolate();
  await call("PUT", "/rules", limited(10), 0);
  compiled();
  await call("PUT", "/rules/draft", limited(20));
  await call("POST", "/rules/publish", {});
  expect([await limit("ada"), compiled()]).toEqual(["20", 1]);
  await call("POST", "/rules/rollback", {});
  expect([await limit("ada"), compiled()]).toEqual(["10", 1]);
});

test("another isolate compiles the deployed and the published document, and neither again", async () => {
  const first = await startIsolate();
  await first.call("PUT", "/rules", limited(10), 0);
  const other = await startIsolate(first.prefix);
  expect([await other.limit("ada"), other.compiled()]).toEqual(["10", 2]);
  await first.call("PUT", "/lists/deny", { identity: "x-user-id:eve" });
  await other.call("PUT", "/lists/deny", { identity: "x-user-id:mal" });
  expect((await other.ask("/api/x", { "x-user-id": "eve" })).status).toBe(403);
  expect(other.compiled()).toBe(0);
});

test("a document with faults is compiled once, however many entries follow", async () => {
  const { ask, call, compiled, limit, prefix } = await startIsolate();
  await call("PUT", "/rules", limited(10), 0);
  compiled();
  const { document, entry } = writer(prefix);
  await document({ rules: [{ ...DEPLOYED[0], policies: [quota("api", 0)] }] }, 2);
  // Reading it, and falling back to the version of the history.
  await call("PUT", "/lists/deny", { identity: "x-user-id:eve" });
  expect(compiled()).toBe(1);
  await entry("deny:1", { identity: "x-user-id:mal" });
  await call("DELETE", "/lists/deny", { identity: "x-user-id:eve" });
  expect((await ask("/api/x", { "x-user-id": "mal" })).status).toBe(403);
  expect([await limit("ada"), compiled()]).toEqual(["10", 0]);
});
