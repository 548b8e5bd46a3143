import { expect, inject, test } from "vitest";

import { admin } from "../../src/admin.ts";
import { createGateway } from "../../src/gateway.ts";
import { quota, startOrigin } from "../support/gateway/gateway.ts";
import { type Asked, requestOf } from "./ask.ts";
import { changed } from "./rules.ts";

/** 44 characters of base64 each, drawn at random. */
const ADMIN_TOKEN = "mV3kT9xQ2bLr7WcYp0NsHd5Zf8Gj1Ua6Re4Ki0Xo2c=";
const READ_TOKEN = "Jq8fWz1Lh6Pv3Xn9Bt4Rk7Md2Sc5Gy0Eu8Ai1Oq6Tw=";

const ruleOf = (limit: number) => ({
  path: "/api/*",
  partition: ["header:x-user-id"],
  policies: [quota("api", limit)],
});

/** A gateway with its administration over a real Redis, before an origin. */
async function startAdministered() {
  const environment = {
    ORIGIN: (await startOrigin()).url,
    UPSTASH_REDIS_REST_URL: inject("redisRestUrl"),
    UPSTASH_REDIS_REST_TOKEN: inject("redisRestToken"),
    PREFIX: crypto.randomUUID(),
    TIMEOUT: "10s",
    CLIENT_IP: "cloudflare",
    RULES: [ruleOf(5)],
    ADMIN_TOKEN,
    READ_TOKEN,
  };
  const isolate = () => createGateway(environment, { admin });
  const gateway = isolate();

  async function api(path: string, asked: Asked = {}) {
    const response = await gateway.fetch(requestOf(path, { token: ADMIN_TOKEN, ...asked }));
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  }

  const ask = (user: string, of = gateway) =>
    of.fetch(new Request("http://gateway.example/api/rides", { headers: { "x-user-id": user } }));
  const remaining = async (user: string, of = gateway) =>
    (await ask(user, of)).headers.get("x-ratelimit-remaining");
  return { api, ask, remaining, isolate };
}

test("a publication is enforced at once, and a rollback, too", async () => {
  const { api, remaining, isolate } = await startAdministered();
  expect((await api("/rules")).body).toEqual({
    version: 0,
    source: "deployed",
    document: { rules: [ruleOf(5)] },
  });
  expect(await remaining("ada")).toBe("4");
  const headers = { "If-Match": '"0"' };
  const published = await api("/rules", { method: "PUT", body: { rules: [ruleOf(50)] }, headers });
  expect(published).toMatchObject({ status: 200, body: { version: 1, changes: [changed(5, 50)] } });
  expect(await remaining("ada")).toBe("48");
  expect(await remaining("ada", isolate())).toBe("47");
  expect((await api("/health")).body).toMatchObject({
    status: "ok",
    live: { version: 1, source: "live", revision: expect.any(Number), ageMs: expect.any(Number) },
  });
  expect((await api("/rules/rollback", { method: "POST" })).body.version).toBe(2);
  expect(await remaining("ada")).toBe("1");
});

test("a document that the gateway cannot enforce is not published", async () => {
  const { api } = await startAdministered();
  const headers = { "If-Match": '"0"' };
  const body = {
    rules: [ruleOf(5)],
    plans: { gold: { rides: { limit: 7 } } },
    overrides: [{ identity: "x-user-id:42", plan: "silver" }],
    extra: 1,
  };
  const answer = await api("/rules", { method: "PUT", body, headers });
  expect(answer.status).toBe(422);
  expect(answer.body.errors.map(({ path }: { path: string }) => path)).toEqual(
    expect.arrayContaining(["extra", "overrides[0].plan"]),
  );
  expect((await api("/rules/draft", { method: "PUT", body })).status).toBe(422);
  expect((await api("/rules")).body.version).toBe(0);
});

test("a client is blocked, exempted and given other numbers by single calls", async () => {
  const { api, ask, remaining } = await startAdministered();
  const put = (path: string, body: object) => api(path, { method: "PUT", body });
  const remove = (path: string, body: object) => api(path, { method: "DELETE", body });
  expect((await put("/lists/deny", { identity: "x-user-id:42", for: "1h" })).status).toBe(200);
  expect((await ask("42")).status).toBe(403);
  expect((await ask("43")).status).toBe(200);
  expect((await remove("/lists/deny", { identity: "X-User-Id:42" })).status).toBe(204);
  expect(await remaining("42")).toBe("4");

  await put("/lists/allow", { identity: "x-user-id:44" });
  expect(await remaining("44")).toBe(null);

  const override = { identity: "x-user-id:premium_*", policies: { api: { limit: 9 } } };
  expect((await put("/overrides", override)).status).toBe(200);
  expect(await remaining("premium_1")).toBe("8");
  expect(await remaining("plain")).toBe("4");
  const faulty = await put("/overrides", { identity: "x-user-id:1", plan: "none" });
  expect([faulty.status, faulty.body.errors[0].path]).toEqual([422, "plan"]);
  expect((await remove("/overrides", override)).status).toBe(204);
  expect(await remaining("premium_1")).toBe("3");
});

test("a decision is explained without taking anything, and a client starts anew", async () => {
  const { api, ask } = await startAdministered();
  for (let i = 0; i < 5; i++) expect((await ask("ada")).status).toBe(200);
  expect((await ask("ada")).status).toBe(429);
  const body = { path: "/api/rides", headers: { "x-user-id": "ada" }, ip: "192.0.2.1" };
  const explained = await api("/explain", { method: "POST", body, token: READ_TOKEN });
  expect(explained).toMatchObject({
    status: 200,
    body: { verdict: "denied", status: 429, version: 0, rules: [{ index: 0, path: "/api/*" }] },
  });
  expect(explained.body.rules[0].policies).toEqual([
    expect.objectContaining({ name: "api", partition: "x-user-id:ada", limit: 5, remaining: 0 }),
  ]);
  const reset = await api("/identities/reset", { method: "POST", body });
  const counts = [{ policy: "api", partition: "x-user-id:ada" }];
  expect(reset).toEqual({ status: 200, body: { reset: counts } });
  expect((await ask("ada")).status).toBe(200);
  const trace = await api("/explain", { method: "POST", body: { path: "/", method: "TRACE" } });
  expect([trace.status, trace.body.errors[0].path]).toEqual([422, "method"]);
});
