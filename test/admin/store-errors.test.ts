import { Redis } from "ioredis";
import { afterEach, expect, inject, onTestFinished, test, vi } from "vitest";

import { freePort } from "../../scripts/support/free-port.ts";
import {
  ADMIN_TOKEN,
  administered,
  documentOf,
  READ_TOKEN,
} from "../support/admin/administered.ts";
import {
  answers,
  cutReply,
  dropReplies,
  none,
  resetBefore,
  truncate,
} from "../support/fault-proxy.ts";
import { startLiveGateway } from "../support/live/live-gateway.ts";
import { askAdmin, askingOf, sharedRedis } from "./ask.ts";
import { behindProxy, SECRET } from "./behind-proxy.ts";

afterEach(() => void vi.restoreAllMocks());

const json = "application/json";
const says = (status: number, error: string) => answers(status, json, JSON.stringify({ error }));
const FULL = says(400, "OOM command not allowed");
const PUT_RULES = { method: "PUT", body: documentOf(7), headers: { "If-Match": '"0"' } };

/** An administration, and the Redis that has its state. */
function withRedis() {
  const gateway = administered(sharedRedis());
  const redis = new Redis(inject("redisUrl"));
  onTestFinished(() => redis.disconnect());
  return { ask: askingOf(gateway), redis, key: (of: string) => `${gateway.prefix}:{#live}:${of}` };
}

test.for([
  ["a connection that breaks", resetBefore, "ERR_STORE_UNREACHABLE", "unknown"],
  ["an answer that is lost", dropReplies(1), "ERR_STORE_UNREACHABLE", "unknown"],
  ["an answer that is cut off", cutReply, "ERR_STORE_UNREACHABLE", "unknown"],
  ["half of an answer", truncate, "ERR_STORE_REPLY", "unknown"],
  ["a page", answers(502, "text/html", "<h1>Bad gateway</h1>"), "ERR_STORE_REPLY", "unknown"],
  ["a redirect", answers(307, json, '{"result":[1,5]}'), "ERR_STORE_REPLY", "unknown"],
  ["a foreign answer", answers(200, json, '{"result":"OK"}'), "ERR_STORE_REPLY", "unknown"],
  ["an error", says(400, "ERR max request size exceeded"), "ERR_STORE_REFUSED", "not-done"],
  ["no memory", FULL, "ERR_STORE_REFUSED", "not-done"],
  ["another token", says(401, "Unauthorized"), "ERR_STORE_UNAUTHORIZED", "not-done"],
] as const)(
  "after %s a write is not repeated, and says what is known of it",
  async ([, fault, code, outcome]) => {
    const { proxy, ask } = await behindProxy();
    const logged = vi.spyOn(console, "warn").mockImplementation(() => {});
    // So that the gateway knows how this server takes scripts.
    expect((await ask("/rules")).status).toBe(200);
    proxy.fault = fault;
    const before = proxy.received.length;
    const entry = { method: "PUT", body: { identity: "x-user-id:secret-of-somebody" } };
    const written = await ask("/lists/deny", entry);
    expect([written.status, written.body.code, written.body.outcome]).toEqual([503, code, outcome]);
    expect(written.body.detail.includes("may have been made")).toBe(outcome === "unknown");
    expect(proxy.received.length - before).toBe(1);
    const read = await ask("/lists/deny");
    expect([read.status, read.body.code, "outcome" in read.body]).toEqual([503, code, false]);
    const said = [written.text, read.text, JSON.stringify(logged.mock.calls)].join("\n");
    const secrets = [SECRET, ADMIN_TOKEN, READ_TOKEN, "secret-of-somebody", "EVAL", "redis.call"];
    expect(secrets.filter((secret) => said.includes(secret))).toEqual([]);
    proxy.fault = none;
    expect((await ask("/lists/deny")).status).toBe(200);
  },
);

test.each([
  ["an address that refuses connections", `http://127.0.0.1:${await freePort()}`],
  ["a name that nobody has", "http://nobody.invalid"],
])("a write to %s was not made, and says so", async (_what, url) => {
  const ask = askingOf(
    administered(sharedRedis(), {
      control: { kind: "redis", redis: { url, token: SECRET }, isOwn: true },
    }),
  );
  const put = await ask("/lists/deny", { method: "PUT", body: { identity: "x-user-id:1" } });
  expect([put.status, put.body.code, put.body.outcome]).toEqual([
    503,
    "ERR_STORE_UNREACHABLE",
    "not-done",
  ]);
  expect(put.body.detail).toMatch(/The change was not made\.$/);
  const read = await ask("/lists/deny");
  expect([read.status, "outcome" in read.body]).toEqual([503, false]);
});

test("a write through a bridge that has no Redis was not made, and one whose Redis went away is unknown", async () => {
  const { proxy, ask } = await behindProxy();
  await ask("/rules");
  const body = { identity: "x-user-id:1", plan: "gold" };
  for (const [error, outcome] of [
    ["ERR Redis is not reachable (connect ECONNREFUSED). The command was not sent", "not-done"],
    ["ERR Redis went away before it replied. The command may have run", "unknown"],
  ] as const) {
    proxy.fault = says(503, error);
    const put = await ask("/overrides", { method: "PUT", body });
    expect([error, put.status, put.body.outcome]).toEqual([error, 503, outcome]);
  }
});

test("a reset that the audit has no room for says that the counts are forgotten", async () => {
  const { proxy, ask } = await behindProxy();
  await ask("/rules");
  proxy.fault = FULL;
  const reset = await ask("/identities/reset", { method: "POST", body: { path: "/rides" } });
  expect([reset.status, reset.body.outcome]).toEqual([503, "unknown"]);
  expect(reset.body.detail).toContain("The counts are forgotten.");
});

test("a reset while Redis is suspended was not sent, and says when to repeat it", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const { administered: gateway } = await startLiveGateway({ UPSTASH_REDIS_REST_URL: url });
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const ask = askingOf({ ...gateway, adminToken: ADMIN_TOKEN });
  const body = { path: "/api/x", headers: { "x-user-id": "42" } };
  const reset = () => ask("/identities/reset", { method: "POST", body });
  let last = await reset();
  for (let i = 0; i < 10; i++) last = await reset();
  expect([last.status, last.body.code, last.body.outcome]).toEqual([
    503,
    "ERR_STORE_SUSPENDED",
    "not-done",
  ]);
  expect(last.body.detail).toMatch(
    /^Redis failed several times .*The change was not made\. Repeat it once GET \/health is ok\.$/,
  );
});

test("a write whose answer was lost has happened", async () => {
  const { proxy, ask } = await behindProxy();
  await ask("/rules");
  proxy.fault = (exchange) => (/["']HSET/.test(exchange.body) ? dropReplies(1) : none)(exchange);
  expect((await ask("/rules", PUT_RULES)).status).toBe(503);
  proxy.fault = none;
  expect((await ask("/rules")).body).toMatchObject({ version: 1, document: documentOf(7) });
  expect((await ask("/rules", PUT_RULES)).status).toBe(412);
});

test.for(["state", "history", "draft", "audit"])(
  "where %s is of another type, a publication is refused until the key has gone",
  async (name) => {
    const { ask, redis, key } = withRedis();
    await redis.zadd(key(name), 1, "of another program");
    const { status, body } = await ask("/rules", PUT_RULES);
    expect([status, body.code, body.outcome, body.detail]).toEqual([
      503,
      "ERR_STORE_FOREIGN",
      "not-done",
      `The key ${key(name)} is of the type zset, which Tidegate does not write there: another program uses it. Delete the key if no program needs it, or give the gateway another PREFIX. The change was not made.`,
    ]);
    expect(await redis.zrange(key(name), "0", "-1")).toEqual(["of another program"]);
    await redis.del(key(name));
    const answer = await ask("/rules", PUT_RULES);
    expect([answer.status, answer.body.version]).toEqual([200, 1]);
    expect((await ask("/rules")).body.document).toEqual(documentOf(7));
    expect((await ask("/audit")).body.entries).toHaveLength(1);
  },
);

test("a planted document that is no JSON is told, and published over", async () => {
  const { ask, redis, key } = withRedis();
  await redis.hset(key("state"), { version: 3, document: "{", publishedAt: 1 });
  const { status, body } = await ask("/rules");
  expect([status, body.version, body.document]).toEqual([200, 3, null]);
  expect(body.error).toContain("GET /rules?held");
  const put = await ask("/rules", { ...PUT_RULES, headers: { "If-Match": '"3"' } });
  expect([put.status, put.body.version]).toEqual([200, 4]);
  expect((await ask("/rules")).body.document).toEqual(documentOf(7));
});

test("an error of the gateway says nothing of itself in the answer", async () => {
  const logged = vi.spyOn(console, "warn").mockImplementation(() => {});
  const ask = askAdmin({ explain: () => Promise.reject(new Error("something odd")) });
  const { status, body } = await ask("/explain", { method: "POST", body: { path: "/" } });
  expect([status, body.detail]).toEqual([500, "The gateway failed to handle the request."]);
  expect(logged.mock.calls).toEqual([["tidegate: the administration failed: something odd"]]);
});
