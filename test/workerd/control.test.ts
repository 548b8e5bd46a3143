import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import { admin } from "../../src/admin.ts";
import { durableObjectStore, type ObjectNamespace } from "../../src/durable-object.ts";
import { createGateway } from "../../src/gateway.ts";
import { liveStoreOver, objectControl, storageOver } from "../../src/store/control/control-over.ts";
import { controlContract } from "../live/control-contract.ts";

const namespace = env["LIMITS"] as ObjectNamespace;
const TOKEN = "pS0qYh6mLk2VxZr9Tn4Jd8WcGf1Bu7Ea3Ri5Oo0Hs=";

describe("control data in a Durable Object", () => {
  controlContract(() => {
    const call = objectControl(namespace, crypto.randomUUID());
    return { live: liveStoreOver(call, "managed"), storage: storageOver(call) };
  });
});

const rules = (limit: number) => [
  {
    path: "/api/*",
    partition: ["header:x-user-id"],
    policies: [{ algorithm: "fixed-window", name: "api", limit, window: "1d" }],
  },
];

/** Isolates of one gateway that counts in Durable Objects, and their admin API. */
function openGateway(more: object = {}) {
  const prefix = crypto.randomUUID();
  const variables = {
    ORIGIN: "https://origin.example",
    STORE: "durable-object",
    LIMITS: namespace,
    TIMEOUT: "10s",
    PREFIX: prefix,
    CLIENT_IP: "cloudflare",
    ADMIN_TOKEN: TOKEN,
    ADMIN_HOST: "any",
    RULES: rules(5),
    ...more,
  };
  const isolate = () => createGateway(variables, { admin, durableObjectStore });
  const one = isolate();
  const api = async (method: string, path: string, body?: object, more: object = {}, of = one) => {
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      "content-type": "application/json",
      ...more,
    };
    const url = `https://gateway.example/_tidegate/api/v1${path}`;
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await of.fetch(new Request(url, init));
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  };
  return { prefix, isolate, api };
}

test("a gateway that counts in Durable Objects has live rules, blocks, explain, history and audit there", async () => {
  const { isolate, api } = openGateway();
  const published = await api("PUT", "/rules", { rules: rules(20) }, { "If-Match": '"0"' });
  expect([published.status, published.body.version]).toEqual([200, 1]);
  expect((await api("PUT", "/lists/deny", { identity: "x-user-id:mal" })).status).toBe(200);
  const anew = isolate();
  const health = (await api("GET", "/health", undefined, {}, anew)).body;
  expect(health).toMatchObject({
    status: "ok",
    store: "durable-object",
    control: { store: "durable-object", own: false, persistence: "managed" },
    live: { version: 1, source: "live" },
  });
  const explained = async (user: string) => {
    const asked = { path: "/api/x", headers: { "x-user-id": user }, ip: "192.0.2.1" };
    return (await api("POST", "/explain", asked, {}, anew)).body;
  };
  expect(await explained("mal")).toMatchObject({ verdict: "blocked", version: 1 });
  expect((await explained("ada")).rules[0].policies[0]).toMatchObject({ limit: 20, remaining: 20 });
  expect((await api("POST", "/rules/rollback", { to: 0 })).body.version).toBe(2);
  expect((await api("GET", "/rules/history")).body.versions).toMatchObject([
    { version: 2, current: true },
    { version: 1 },
  ]);
  expect((await api("GET", "/audit")).body.entries).toMatchObject([
    { n: 3, action: "rollback to 0" },
    { n: 2, action: "put deny" },
    { n: 1, action: "publish" },
  ]);
});

test("versions in which a rule begins, changes and ends are saved and published there", async () => {
  const { api } = openGateway();
  const more = {
    ...rules(3)[0]!,
    path: "/more/*",
    policies: [{ algorithm: "fixed-window", name: "more", limit: 3, window: "1d" }],
  };
  const documents = [
    { rules: [...rules(5), more] },
    { rules: [...rules(6), more], plans: { gold: { api: { limit: 60 } } } },
    { rules: rules(5), plans: {} },
  ];
  for (const [version, document] of documents.entries()) {
    expect((await api("PUT", "/rules/draft", document)).status).toBe(200);
    const published = await api("PUT", "/rules", document, { "If-Match": `"${version}"` });
    expect([published.status, published.body.version]).toEqual([200, version + 1]);
  }
  const { entries } = (await api("GET", "/audit")).body;
  expect(
    entries.findLast(({ action }: { action: string }) => action === "publish").changes,
  ).toEqual([{ type: "added", path: "rules[1]", after: more }]);
});

/** Throws everything away that a gateway's control data is in. */
async function loseControl(prefix: string): Promise<void> {
  const named = namespace as ObjectNamespace & {
    idFromName(name: string): unknown;
    get(id: unknown): object;
  };
  const stub = named.get(named.idFromName(`${prefix}:{#live}`));
  await runInDurableObject(stub, (_object, { storage }) => storage.deleteAll());
  await evictDurableObject(stub);
}

const healthOf = async (of: ReturnType<typeof createGateway>) => {
  const response = await of.fetch(new Request("https://gateway.example/_tidegate/health"));
  return { http: response.status, ...((await response.json()) as object) };
};

test("of an object that lost all control data, an isolate puts rules and blocks back, and the loss is told", async () => {
  const { prefix, isolate, api } = openGateway();
  await api("PUT", "/rules", { rules: rules(20) }, { "If-Match": '"0"' });
  await api("PUT", "/lists/deny", { identity: "x-user-id:mal" });
  await loseControl(prefix);
  expect((await api("GET", "/rules")).body).toMatchObject({ version: 1 });
  const anew = isolate();
  const asked = new Request("https://gateway.example/api/x", {
    headers: { "x-user-id": "mal", "cf-connecting-ip": "192.0.2.1" },
  });
  expect((await anew.fetch(asked)).status).toBe(403);
  expect(await healthOf(anew)).toMatchObject({
    status: "degraded",
    code: "rules-restored",
    store: "durable-object",
  });
  expect((await api("GET", "/audit")).body.entries).toMatchObject([{ by: "gateway" }]);
  const again = await api("PUT", "/rules", { rules: rules(21) }, { "If-Match": '"1"' });
  expect([again.status, again.body.version]).toEqual([200, 2]);
  expect(await healthOf(isolate())).toMatchObject({ status: "ok" });
});

test("an object that lost what no isolate holds is told where rules are required, and takes a copy of them", async () => {
  const { prefix, isolate, api } = openGateway({ LIVE_RULES: "required" });
  await api("PUT", "/rules", { rules: rules(20) }, { "If-Match": '"0"' });
  expect(await healthOf(isolate())).toMatchObject({ http: 200, status: "ok" });
  await loseControl(prefix);
  const anew = isolate();
  expect(await healthOf(anew)).toMatchObject({ http: 503, code: "rules-missing" });
  const copy = await api("PUT", "/rules", { rules: rules(20) }, { "If-Match": '"0"' }, anew);
  expect(copy.status).toBe(200);
  expect(await healthOf(isolate())).toMatchObject({ http: 200, status: "ok" });
});
