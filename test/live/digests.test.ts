import { describe, expect, test, vi } from "vitest";

import { quota } from "../support/gateway/gateway.ts";
import { type MeteredGateway, meteredGateways } from "../support/metrics/metered-gateway.ts";
import { anHourLater, startMetered } from "./metered.ts";

const RULES = [
  { path: "/api/*", partition: ["header:x-key", "ip"], policies: [quota("api", 3)] },
  { path: "/pair", partition: [["ip", "header:user-agent"]], policies: [quota("pair", 3)] },
  { path: "/all", partition: "*", policies: [quota("all", 3)] },
];
const READ_TOKEN = "qT4nVx9Lk2Zr8hYm6pS0JdWcGf1Bu7Ea3Ri5Oo0Hs=";

async function start(variables: object = {}, rules: readonly object[] = RULES) {
  const { isolate, call } = await startMetered(rules, { READ_TOKEN, ...variables });
  return {
    isolate,
    call,
    /** Asks more often than is allowed; returns how the client is called where it was denied most. */
    async deniedMost(path: string, ip: string, headers: Readonly<Record<string, string>> = {}) {
      for (let i = 0; i < 5; i++) await isolate.ask(path, ip, { headers });
      const { body } = await call("GET", "/top?kind=denied");
      return (body.partitions as { policy: string; partition: string }[])[0]!;
    },
    /** The limit that a client is told. */
    async limit(ip: string, headers: Readonly<Record<string, string>> = {}) {
      const answer = await isolate.ask("/api/x", ip, { headers });
      return /q=(\d+)/.exec(answer.headers.get("ratelimit-policy")!)![1];
    },
  };
}

const statuses = async (
  { ask }: MeteredGateway,
  path: string,
  asked: readonly (readonly [ip: string, headers?: Readonly<Record<string, string>>])[],
) => {
  const found: number[] = [];
  for (const [ip, headers = {}] of asked) found.push((await ask(path, ip, { headers })).status);
  return found;
};

const CASES = [
  ["/api/x", "203.0.113.1", { "x-key": "key-of-an-attacker" }, ["203.0.113.1"]],
  ["/api/x", "203.0.113.2", {}, ["203.0.113.3"]],
  ["/pair", "203.0.113.4", { "user-agent": "a/1" }, ["203.0.113.4", { "user-agent": "b/1" }]],
] as const;

describe.each(["hashed", "plain"])("with %s names", (METRICS_IDENTITIES) => {
  test.each(CASES)(
    "by its name alone the client with the most denials at %s, from %s, is blocked, and no other",
    async (path, ip, headers, other) => {
      const { call, deniedMost, isolate } = await start({ METRICS_IDENTITIES });
      const { partition } = await deniedMost(path, ip, headers);
      expect(partition).not.toContain("key-of-an-attacker");
      const put = await call("PUT", "/lists/deny", { digest: partition, for: "1h" });
      expect([put.status, put.body.digest]).toEqual([200, partition]);
      expect(await statuses(isolate, path, [[ip, headers], other])).toEqual([403, 200]);
      const { body } = await call("POST", "/explain", { path, ip, headers });
      expect([body.verdict, body.status]).toEqual(["blocked", 403]);
      const gone = await call("DELETE", "/lists/deny", { digest: partition });
      expect(gone.status).toBe(204);
      expect(await statuses(isolate, path, [[ip, headers]])).toEqual([429]);
    },
  );
});

test("a block by digest ends when it says so", async () => {
  const { call, deniedMost, isolate } = await start();
  const { partition } = await deniedMost("/api/x", "203.0.113.1");
  await call("PUT", "/lists/deny", { digest: partition, for: "1h" });
  expect(await statuses(isolate, "/api/x", [["203.0.113.1"]])).toEqual([403]);
  const later = await anHourLater(() => statuses(isolate, "/api/x", [["203.0.113.1"]]));
  expect(later).not.toEqual([403]);
});

test("an override by digest raises the limit of one client, until it ends", async () => {
  const { call, deniedMost, limit } = await start();
  const [ip, key] = ["203.0.113.7", { "x-key": "a-key-of-somebody" }];
  const { partition } = await deniedMost("/api/x", "203.0.113.1", key);
  const own = { digest: partition, policies: { api: { limit: 50 } }, for: "1h" };
  expect((await call("PUT", "/overrides", own)).status).toBe(200);
  expect([await limit(ip, key), await limit(ip), await limit(ip, { "x-key": "other" })]).toEqual([
    "50",
    "3",
    "3",
  ]);
  const { body } = await call("POST", "/explain", { path: "/api/x", headers: key });
  expect(body.override).toBe(partition);
  expect(await anHourLater(() => limit(ip, key))).toBe("3");
  expect(await limit(ip, key)).toBe("50");
  expect((await call("DELETE", "/overrides", { digest: partition })).status).toBe(204);
  expect(await limit(ip, key)).toBe("3");
});

test("a client is reset by its digest; the digest of an address asks for the address", async () => {
  const { call, deniedMost, isolate } = await start();
  const key = { "x-key": "a-key-of-somebody" };
  const { policy, partition } = await deniedMost("/api/x", "203.0.113.1", key);
  expect(await statuses(isolate, "/api/x", [["203.0.113.1", key]])).toEqual([429]);
  const reset = await call("POST", "/identities/reset", { digest: partition, policy });
  expect([reset.status, reset.body]).toEqual([200, { reset: [{ policy, partition }] }]);
  expect(await statuses(isolate, "/api/x", [["203.0.113.1", key]])).toEqual([200]);
  const { body: audit } = await call("GET", "/audit");
  const changes = [{ path: policy, before: partition }];
  expect(audit.entries[0]).toMatchObject({ action: "reset", changes });
  const digest = `ip:${"a".repeat(22)}`;
  const unknown = await call("POST", "/identities/reset", { digest, policy });
  expect(unknown.status).toBe(422);
  expect(unknown.body.errors[0]).toMatchObject({ path: "digest" });
  const none = await call("POST", "/identities/reset", { digest: partition, policy: "gone" });
  expect(none.status).toBe(422);
});

test("an address that is named as it is can be reset by its name", async () => {
  const { call, deniedMost, isolate } = await start({ METRICS_IDENTITIES: "plain" });
  const { policy, partition } = await deniedMost("/api/x", "203.0.113.1");
  expect(partition).toBe("ip:203.0.113.1");
  await call("POST", "/identities/reset", { digest: partition, policy });
  expect(await statuses(isolate, "/api/x", [["203.0.113.1"]])).toEqual([200]);
});

test("only the admin token blocks, overrides and resets by digest", async () => {
  const { call } = await start();
  const digest = `x-key:${"a".repeat(43)}`;
  for (const [method, path, body] of [
    ["PUT", "/lists/deny", { digest }],
    ["PUT", "/overrides", { digest, policies: { api: { limit: 5 } } }],
    ["POST", "/identities/reset", { digest, policy: "api" }],
  ] as const) {
    expect((await call(method, path, body, READ_TOKEN)).status).toBe(403);
  }
});

const numbers = { policies: { api: { limit: 5 } } };
test.each([
  ...["%2a", "*", "x-key", "x-key:a b", "", 42].map(
    (digest) => ["/lists/deny", { digest }] as const,
  ),
  ["/lists/allow", { digest: `x-key:${"a".repeat(43)}` }] as const,
  ["/overrides", { digest: "*", ...numbers }] as const,
  ["/overrides", { digest: "x-key:a", identity: "x-key:a", ...numbers }] as const,
])("%s refuses %o, and says what to write", async (path, body) => {
  const { call } = await start();
  const refused = await call("PUT", path, body);
  expect(refused.status).toBe(422);
  expect(refused.body.errors[0].remedy).toMatch(/\w{4}/);
});

test("where no entry names a digest, no request is hashed for it", async () => {
  const { call, isolate, deniedMost } = await start();
  const { partition } = await deniedMost("/api/x", "203.0.113.1");
  const digest = vi.spyOn(crypto.subtle, "digest");
  try {
    await call("PUT", "/lists/deny", { cidr: "203.0.113.99" });
    digest.mockClear();
    await isolate.ask("/api/x", "203.0.113.2");
    expect(digest).toHaveBeenCalledTimes(0);
    await call("PUT", "/lists/deny", { digest: partition });
    digest.mockClear();
    await isolate.ask("/api/x", "203.0.113.2");
    expect(digest).toHaveBeenCalledTimes(1);
  } finally {
    digest.mockRestore();
  }
});

test("a client that is blocked by digest is told no quota", async () => {
  const { call, deniedMost, isolate } = await start({}, [{ ...RULES[0], quota: true }]);
  const told = async () => {
    const answer = await isolate.ask("/_tidegate/quota", "203.0.113.1");
    return [answer.status, ((await answer.json()) as { policies?: unknown[] }).policies?.length];
  };
  expect(await told()).toEqual([200, 1]);
  const { partition } = await deniedMost("/api/x", "203.0.113.1");
  await call("PUT", "/lists/deny", { digest: partition });
  expect((await told())[0]).toBe(403);
});

test("the counts that a reset by digest forgets are listed for every policy that counts the same clients", async () => {
  const gateways = await meteredGateways([
    { path: "/api/*", partition: ["ip"], policies: [quota("burst", 3), quota("daily", 4)] },
    { path: "/other", partition: ["header:x-key"], policies: [quota("keys", 3)] },
  ]);
  const { administered } = gateways.open({ METRICS_IDENTITIES: "plain" });
  const forgotten = await administered.resetDigest("daily", "ip:203.0.113.1");
  expect(forgotten.map(({ policy }) => policy).toSorted()).toEqual(["burst", "daily"]);
});
