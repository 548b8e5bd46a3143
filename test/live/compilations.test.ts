import { Redis } from "ioredis";
import { beforeEach, expect, inject, onTestFinished, test, vi } from "vitest";

import { admin } from "../../src/admin.ts";
import { plansFeature } from "../../src/features/plans-feature.ts";
import { createGateway } from "../../src/gateway/gateway.ts";
import { liveKeys } from "../../src/store/control/live-keys.ts";
import { requestOf } from "../admin/ask.ts";
import { quota, startOrigin } from "../support/gateway/gateway.ts";
import { ADMIN_TOKEN, DEPLOYED, limited, liveVariables } from "../support/live/live-gateway.ts";

/** How often each rule is compiled; isolates of a test work one after the other, and this one last. */
let working = { compiled: 0 };

beforeEach(() => {
  const { compilePlan } = plansFeature;
  const spy = vi.spyOn(plansFeature, "compilePlan").mockImplementation((...given) => {
    working.compiled++;
    return compilePlan(...given);
  });
  onTestFinished(() => spy.mockRestore());
});

/** An isolate with one deployed rule, and how often it has compiled a rule of any document. */
async function startIsolate(prefix: string = crypto.randomUUID()) {
  const own = { compiled: 0 };
  const origin = await startOrigin();
  working = own;
  const gateway = createGateway(
    { ...liveVariables(origin.url, prefix), METRICS: "off" },
    { admin },
  );
  const ask = (user: string) => {
    working = own;
    return gateway.fetch(
      new Request("http://gateway.example/api/x", { headers: { "x-user-id": user } }),
    );
  };

  return {
    prefix,
    ask,
    /** The compilations since the last time. */
    compiled: () => own.compiled - (own.compiled = 0),
    async call(method: string, path: string, body?: object, version?: number) {
      working = own;
      const headers = version === undefined ? {} : { "If-Match": `"${version}"` };
      const asked = { method, body, headers, token: ADMIN_TOKEN };
      const response = await gateway.fetch(requestOf(path, asked));
      expect(response.ok, await response.text()).toBe(true);
    },
    /** The limit of the policy in force for a client. */
    async limit(user: string) {
      return (await ask(user)).headers.get("x-ratelimit-limit");
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
      redis.hset(keys.state, { revision: ++revision, version, document: JSON.stringify(document) }),
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
  expect((await ask("eve")).status).toBe(403);
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
  expect((await other.ask("eve")).status).toBe(403);
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
  expect((await ask("mal")).status).toBe(403);
  expect([await limit("ada"), compiled()]).toEqual(["10", 0]);
});
