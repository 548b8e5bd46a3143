import { afterEach, expect, inject, onTestFinished, test, vi } from "vitest";

import { startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { admin, routesOf } from "../../src/admin/admin.ts";
import { nothingHere } from "../../src/admin/refusal.ts";
import { createGateway } from "../../src/gateway.ts";
import {
  ADMIN_TOKEN,
  administered,
  documentOf,
  READ_TOKEN,
} from "../support/admin/administered.ts";
import { generous } from "../support/gateway/gateway.ts";
import { ADMIN_TOKEN as TOKEN } from "../support/live/live-gateway.ts";
import { askAdmin, askingOf, requestOf, sharedRedis } from "./ask.ts";

afterEach(() => void vi.restoreAllMocks());

const ROUTES = routesOf(administered(undefined));
const EVERY = [
  ...ROUTES.map(({ method, path }) => [method, path] as const),
  ["PATCH", "/rules"],
  ["OPTIONS", "/rules"],
  ["HEAD", "/rules"],
  ["GET", "/nothing"],
  ["GET", ""],
  ["POST", "/rules/"],
] as const;

const NEAR = [ADMIN_TOKEN.slice(0, -1), `${ADMIN_TOKEN}x`, ADMIN_TOKEN.toUpperCase()];
const WRONG = [undefined, "", "a", "a".repeat(100_000), ...NEAR, `${ADMIN_TOKEN} ${READ_TOKEN}`];

/** An administration over a bridge that counts its calls. */
async function counted() {
  const bridge = await startBridge({ redis: inject("redisUrl"), port: 0, token: "test" });
  onTestFinished(() => bridge.close());
  return { bridge, ask: askingOf(administered({ url: bridge.url, token: "test" })) };
}

test("without a right token every path and method has the same answer", async () => {
  const ask = askAdmin();
  let address = 0;
  const answers = new Set<string>();
  for (const [method, path] of EVERY) {
    if (method === "HEAD") continue;
    for (const token of WRONG) {
      const headers = { "cf-connecting-ip": `198.51.100.${++address % 256}` };
      const { status, text, headers: fields } = await ask(path, { method, token, headers });
      answers.add(JSON.stringify([status, text, [...fields].sort()]));
    }
  }
  const [only, ...others] = [...answers].map((each) => JSON.parse(each));
  expect(others).toEqual([]);
  expect(only[0]).toBe(401);
  expect(only[2]).toEqual([
    ["cache-control", "no-store"],
    ["content-type", "application/problem+json"],
    ["www-authenticate", "Bearer"],
  ]);
  expect((await ask("/rules", { method: "HEAD", token: "a" })).status).toBe(401);
});

test("the scheme is Bearer, in any case", async () => {
  const ask = askAdmin();
  for (const [authorization, expected] of [
    [`bearer ${ADMIN_TOKEN}`, 200],
    [`Basic ${ADMIN_TOKEN}`, 401],
    [ADMIN_TOKEN, 401],
    [`Bearer ${ADMIN_TOKEN}, Bearer x`, 401],
  ] as const) {
    const { status } = await ask("/rules", { token: undefined, headers: { authorization } });
    expect([authorization, status]).toEqual([authorization, expected]);
  }
});

test("a token that only reads writes nothing", async () => {
  const ask = askAdmin();
  for (const { method, path, writes } of ROUTES) {
    const { status } = await ask(path, { method, token: READ_TOKEN });
    expect([method, path, status === 403]).toEqual([method, path, writes]);
  }
  const headers = { "If-Match": '"0"' };
  const asked = { method: "PUT", body: documentOf(1), token: READ_TOKEN, headers };
  expect((await ask("/rules", asked)).status).toBe(403);
  expect((await ask("/rules?dry-run", asked)).status).toBe(200);
  expect((await ask("/rules/draft?dry-run", asked)).status).toBe(400);
  expect((await ask("/rules")).body.version).toBe(0);
});

test("where only one token is set, no token is no other", async () => {
  for (const [tokens, token, status] of [
    [{ adminToken: ADMIN_TOKEN, readToken: undefined }, "", 401],
    [{ adminToken: ADMIN_TOKEN, readToken: undefined }, "undefined", 401],
    [{ adminToken: ADMIN_TOKEN, readToken: undefined }, ADMIN_TOKEN, 200],
    [{ adminToken: undefined, readToken: READ_TOKEN }, READ_TOKEN, 200],
    [{ adminToken: undefined, readToken: READ_TOKEN }, "undefined", 401],
  ] as const) {
    const answer = await askAdmin(tokens)("/rules", { token });
    expect([token, answer.status]).toEqual([token, status]);
  }
});

test("without tokens there is nothing, at any path", async () => {
  const variables = { ORIGIN: "https://origin.example", STORE: "memory", CLIENT_IP: "cloudflare" };
  const gateway = createGateway({ ...variables, RULES: generous }, { admin });
  const answerTo = async (method: string, path: string) => {
    const headers = { authorization: "Bearer undefined" };
    const request = new Request(`http://gateway.example/_tidegate${path}`, { method, headers });
    const response = await gateway.fetch(request);
    return [path, response.status, await response.text(), [...response.headers].sort()];
  };
  const [, ...nothing] = await answerTo("GET", "/nothing");
  expect(nothing.slice(0, 2)).toEqual([404, await nothingHere().response().text()]);
  const paths = EVERY.map(([method, path]) => [method, `/api/v1${path}`] as const);
  for (const [method, path] of [...paths, ["GET", "/api"]] as const) {
    if (method === "HEAD") continue;
    expect(await answerTo(method, path)).toEqual([path, ...nothing]);
  }
});

test("a request costs as many digests and calls of Redis where there is a route and where there is none", async () => {
  const { bridge, ask } = await counted();
  // The gateway's own tokens are digested once, and the script is loaded.
  await ask("/nothing", { token: "wrong", headers: { "cf-connecting-ip": "203.0.113.255" } });
  const digest = vi.spyOn(crypto.subtle, "digest");
  let address = 0;
  for (const [token, expected] of [
    [undefined, "1 0"],
    ["wrong", "1 1"],
    [READ_TOKEN.slice(1), "1 1"],
  ] as const) {
    const costs = new Set<string>();
    for (const [method, path] of EVERY) {
      const [digests, commands] = [digest.mock.calls.length, bridge.commands];
      await ask(path, { method, token, headers: { "cf-connecting-ip": `203.0.113.${++address}` } });
      costs.add(`${digest.mock.calls.length - digests} ${bridge.commands - commands}`);
    }
    expect([...costs]).toEqual([expected]);
  }
  const before = bridge.commands;
  await ask("/nothing");
  expect(bridge.commands - before).toBe(0);
});

test("an address that failed ten times is refused without a call, and a right token works all the same", async () => {
  const { bridge, ask } = await counted();
  const from = (ip: string, token: string | undefined) =>
    ask("/explain", {
      token,
      method: "POST",
      body: { path: "/" },
      headers: { "cf-connecting-ip": ip },
    });
  const firstMs = performance.now();
  for (let i = 0; i < 10; i++) expect((await from("192.0.2.9", `wrong${i}`)).status).toBe(401);
  // Asked of Redis, and then known here: a client that waits as long as it says is not early.
  for (const token of ["wrong", "again"]) {
    const refused = await from("192.0.2.9", token);
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThanOrEqual(60 - (performance.now() - firstMs) / 1000);
    expect(seconds).toBeLessThanOrEqual(60);
  }
  const before = bridge.commands;
  for (let i = 0; i < 20; i++) expect((await from("192.0.2.9", `more${i}`)).status).toBe(429);
  expect((await from("192.0.2.9", ADMIN_TOKEN)).status).toBe(200);
  expect((await from("192.0.2.9", undefined)).status).toBe(401);
  expect(bridge.commands - before).toBe(0);
  expect((await from("192.0.2.10", ADMIN_TOKEN)).status).toBe(200);
  expect((await from("192.0.2.10", "wrong")).status).toBe(401);
});

test("requests without a token, as a page of any site makes a browser send them, lock no address out", async () => {
  const ask = askAdmin();
  const headers = { "sec-fetch-site": "cross-site", "sec-fetch-dest": "image" };
  const image = { token: undefined, headers };
  for (let i = 0; i < 30; i++) expect((await ask("/rules", image)).status).toBe(401);
  expect((await ask("/rules", { token: "wrong" })).status).toBe(401);
});

test("of a hundred wrong tokens at once ten are counted, in any isolate", async () => {
  const gateway = administered(sharedRedis());
  const ask = askingOf(gateway);
  const wrong = await Promise.all(
    Array.from({ length: 100 }, (_, i) => ask("/rules", { token: `wrong${i}` })),
  );
  expect(wrong.filter(({ status }) => status === 401)).toHaveLength(10);
  // An isolate that knows nothing of them.
  const other = askingOf(gateway);
  expect((await other("/rules", { token: "wrong" })).status).toBe(429);
  expect((await other("/rules")).status).toBe(200);
});

test("clients whose address is not known share their failures", async () => {
  const ask = askAdmin({ clientAddress: () => undefined });
  for (let i = 0; i < 10; i++) await ask("/rules", { token: "wrong" });
  expect((await ask("/rules", { token: "wrong" })).status).toBe(429);
  expect((await ask("/rules")).status).toBe(200);
});

test.each([
  ["Cloudflare on Workers", "Cloudflare-Workers", "cf-connecting-ip", ""],
  ["one proxy elsewhere", "Node.js/24", "x-forwarded-for", "198.51.100."],
])(
  "without a CLIENT_IP, failures are those of the address that %s tells",
  async (_who, userAgent, field, written) => {
    vi.stubGlobal("navigator", { userAgent });
    onTestFinished(() => void vi.unstubAllGlobals());
    const variables = { ORIGIN: "https://origin.example", STORE: "memory", ADMIN_TOKEN: TOKEN };
    const RULES = [{ ...generous[0], partition: ["header:x-user-id"] }];
    const gateway = createGateway({ ...variables, RULES }, { admin });
    let sent = 0;
    const failFrom = async (address: string) => {
      // A proxy adds the address to what the client itself has written.
      const headers = { [field]: written ? `${written}${++sent}, ${address}` : address };
      return (await gateway.fetch(requestOf("/rules", { token: "wrong", headers }))).status;
    };
    for (let i = 0; i < 10; i++) expect(await failFrom("192.0.2.9")).toBe(401);
    expect([await failFrom("192.0.2.9"), await failFrom("192.0.2.10")]).toEqual([429, 401]);
  },
);

test("two tokens hold at once, while one is replaced", async () => {
  const [old, next] = ["old-token-of-this-test-1", "new-token-of-this-test-2"];
  const ask = askAdmin({
    adminToken: `${old} ${next}`,
    readToken: `${READ_TOKEN} reader-2-of-this-test`,
  });
  for (const [token, expected] of [
    [old, 200],
    [next, 200],
    [`${old} ${next}`, 401],
    [READ_TOKEN, 403],
    ["reader-2-of-this-test", 403],
  ] as const) {
    const asked = { method: "POST", body: { path: "/" }, token };
    expect([token, (await ask("/identities/reset", asked)).status]).toEqual([token, expected]);
  }
});

test("while Redis gives no answer, failures are counted in the isolate", async () => {
  const ask = askingOf(administered({ url: "http://127.0.0.1:1", token: "test" }));
  expect((await ask("/nothing")).status).toBe(404);
  for (let i = 0; i < 10; i++) expect((await ask("/", { token: "wrong" })).status).toBe(401);
  expect((await ask("/", { token: "wrong" })).status).toBe(429);
});

test("the author of a change is known by the token, not by the request's own words", async () => {
  const ask = askAdmin();
  const headers = {
    "If-Match": '"0"',
    "x-forwarded-user": "mallory",
    "tidegate-author": "mallory",
    "x-forwarded-for": "10.0.0.1",
    "x-tidegate-by": "admin:00000000",
    from: "mallory@example.com",
  };
  await ask("/rules?note=by+mallory", { method: "PUT", body: documentOf(1), headers });
  await ask("/lists/deny", { method: "PUT", body: { asn: 1 }, headers });
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(ADMIN_TOKEN));
  const by = `admin:${Buffer.from(digest).toString("hex").slice(0, 8)}`;
  const { entries } = (await ask("/audit")).body;
  expect(entries.map((entry: { by: string }) => entry.by)).toEqual([by, by]);
  expect(JSON.stringify(entries)).not.toContain("mallory");
  const forged = { asn: 2, by: "mallory", at: 0, id: "x" };
  expect((await ask("/lists/deny", { method: "PUT", body: forged })).status).toBe(422);
});

test("a token with a name reads and writes, and the audit names it", async () => {
  const token = "token-of-ada-in-this-test";
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
  const hex = Buffer.from(digest).toString("hex");
  const ask = askAdmin({
    namedTokens: new Map([
      ["bob", "0".repeat(64)],
      ["ada", hex],
    ]),
  });
  const put = (sent: string, asn: number) =>
    ask("/lists/deny", { method: "PUT", body: { asn }, token: sent });
  expect([(await put(token, 1)).status, (await put(hex, 2)).status]).toEqual([200, 401]);
  expect((await put(ADMIN_TOKEN, 3)).status).toBe(200);
  expect((await put(READ_TOKEN, 4)).status).toBe(403);
  const { entries } = (await ask("/audit", { token })).body;
  expect(entries.map(({ by }: { by: string }) => by)).toEqual([
    expect.stringMatching(/^admin:[0-9a-f]{8}$/),
    "ada",
  ]);
});
