import { createHmac } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from "vitest";

import { type Origin, startOrigin } from "../../scripts/local-stack/origin.ts";
import { quota } from "../support/gateway/gateway.ts";
import { type CodeBlock, codeBlocks } from "./code-blocks.ts";
import { configuredGateway } from "./configured-gateway.ts";
import { guideBlocks, guideCode } from "./guides.ts";

const blocks = guideBlocks("ts");
const folder = resolve(".tmp/guides");

/** The bindings of a worker's wrangler.toml. */
const bound = vi.hoisted((): Record<string, unknown> => ({}));

// Parts that only Workers have: there, test/workerd and test/first-steps run them.
const tracing = vi.hoisted(() => ({ getActiveSpan: () => undefined }));
vi.mock("cloudflare:workers", () => ({ env: bound, tracing, waitUntil: () => {} }));

const SESSION_SECRET = "of the guides";

/** The cookie of a client that has signed in. */
const sessionOf = (user: string, secret = SESSION_SECRET) =>
  `session=${user}.${createHmac("sha256", secret).update(user).digest("hex")}`;

let origin: Origin;
beforeAll(async () => {
  origin = await startOrigin();
  Object.assign(bound, {
    ORIGIN: origin.url,
    STORE: "memory",
    CLIENT_IP: "cloudflare",
    RULES: [{ path: "/*", policies: [{ algorithm: "fixed-window", limit: 20, window: "1d" }] }],
  });
  vi.stubEnv("UPSTASH_REDIS_REST_URL", inject("redisRestUrl"));
  vi.stubEnv("UPSTASH_REDIS_REST_TOKEN", inject("redisRestToken"));
  vi.stubEnv("REGION_URL", inject("redisRestUrl"));
  vi.stubEnv("REGION_TOKEN", inject("redisRestToken"));
  vi.stubEnv("SESSION_SECRET", SESSION_SECRET);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
  await origin.stop();
});

/** The export of a block: a worker, a middleware, or none where it runs by itself. */
type Handler =
  | { fetch(request: Request): Response | Promise<Response> }
  | ((request: Request) => Promise<Response>);

/** Runs a block anew, with a client of its own in the place of one that the block names: a test may be tried again. */
async function run<Exports>({ code }: CodeBlock): Promise<Exports> {
  const file = join(folder, `${crypto.randomUUID()}.ts`);
  const ownClient = JSON.stringify(crypto.randomUUID());
  writeFileSync(
    file,
    code
      .replace("https://origin.example.com", origin.url)
      .replaceAll(/"(?:user:42|partner:7|trial|everyone)"/g, ownClient),
  );
  return import(file);
}

let clients = 0;
const addressOfNext = () => `192.0.2.${++clients}`;

interface Sent {
  readonly asked?: readonly [method: string, path: string];
  readonly enough?: number;
  readonly atOnce?: number;
}

/** Up to the status that is enough, of a client of its own: some samples have equal policies, which count together. */
async function statusesOf(
  handler: Handler,
  requests: number,
  { asked: [method, path] = ["GET", "/api/rides"], enough, atOnce = 1 }: Sent = {},
): Promise<number[]> {
  const statuses: number[] = [];
  const address = addressOfNext();
  const headers = {
    "cf-connecting-ip": address,
    "x-real-ip": address,
    cookie: sessionOf(`guide${clients}`),
  };
  const statusOf = async () => {
    const asked = new Request(`https://example.com${path}`, { method, headers });
    const response = await (typeof handler === "function" ? handler(asked) : handler.fetch(asked));
    return response.status;
  };
  while (statuses.length < requests && !statuses.includes(enough!))
    statuses.push(...(await Promise.all(Array.from({ length: atOnce }, statusOf))));
  return statuses;
}

describe("the guides' TypeScript", () => {
  test("has every block that it should", () => {
    expect(blocks).toHaveLength(25);
  });

  test.for(blocks)(
    "of $document on line $line runs, and limits where it handles requests",
    async (block) => {
      const { code } = block;
      const log = vi.spyOn(console, "log").mockImplementation(() => {});
      const { default: handler } = await run<{ default?: Handler }>(block);
      if (handler === undefined) {
        const expected = code.includes("plans:")
          ? [["address 200, user 6000, everybody 5000"]]
          : [
              ["burst", 2],
              ["daily", 997],
            ];
        // A block that only exports a function logs nothing.
        const runs = code.includes("console.log");
        expect(log.mock.calls.map((logged) => logged.slice(0, 2))).toEqual(runs ? expected : []);
      } else if (code.includes("counts: failures(")) {
        const statuses = await statusesOf(handler, 20, { asked: ["POST", "/login"] });
        expect(statuses).toEqual(statuses.map((_, i) => (i < 5 ? 401 : 429)));
      } else {
        const statuses = await statusesOf(handler, 600, { enough: 429, atOnce: 20 });
        expect(statuses.slice(0, 20)).toEqual(Array(20).fill(200));
        expect(statuses).toContain(429);
      }
      log.mockRestore();
    },
  );
});

interface Served {
  readonly default: { request(path: string, init: RequestInit): Promise<Response> };
}

test("the Hono page shows the 429 that its first app answers with", async () => {
  const { default: app } = await run<Served>(
    blocks.find(({ document }) => document === "docs/hono.md")!,
  );
  const headers = { "cf-connecting-ip": addressOfNext() };
  const ask = () => app.request("/api/rides", { headers });
  let denied = await ask();
  // Perhaps more than the page says: units come back while a busy machine sends them.
  for (let sent = 1; denied.status !== 429 && sent < 600; sent++) denied = await ask();
  const shown = codeBlocks("docs/hono.md").find(({ language }) => language === "http")!;
  const [head, body] = shown.code.trim().split("\n\n");
  // At another second than the page's.
  const lines = [...denied.headers].map(([name, value]) =>
    `${name}: ${value}`.replace(/^(x-ratelimit-reset): \d{10}$/, "$1: 1893456002"),
  );
  const fields = head!.split("\n").slice(1);
  expect(lines).toEqual(fields.map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase())));
  expect(await denied.text()).toBe(body);
});

test("the guides' Hono app with cors() counts no preflight, and scripts can read its 429", async () => {
  const block = blocks.find(({ code }) => code.includes("hono/cors"))!;
  // The window of the clock may end between two of its requests.
  const code = block.code.replace('window: "1m"', 'window: "1m", aligned: false');
  expect(code).not.toBe(block.code);
  const { default: app } = await run<Served>({ ...block, code });
  const headers = { "cf-connecting-ip": addressOfNext(), origin: "https://app.example.com" };
  const ask = (method: string) => {
    const asked = { "access-control-request-method": "GET", ...headers };
    return app.request("/api/rides", { method, headers: method === "OPTIONS" ? asked : headers });
  };
  for (let i = 0; i < 61; i++) expect((await ask("OPTIONS")).status).toBe(204);
  const statuses: number[] = [];
  for (let i = 0; i < 61; i++) statuses.push((await ask("GET")).status);
  expect(statuses).toEqual([...Array(60).fill(200), 429]);
  const denied = await ask("GET");
  expect(denied.headers.get("Access-Control-Allow-Origin")).toBe("https://app.example.com");
  expect(denied.headers.get("Access-Control-Expose-Headers")).toContain("Retry-After");
  expect(denied.headers.has("Retry-After")).toBe(true);
});

test("the guides' CORS answers preflights of the site that it names", async () => {
  const gateway = configuredGateway(guideCode("[vars.CORS]"), folder, {
    ORIGIN: origin.url,
    RULES: [{ path: "/*", policies: [quota("all", 1)] }],
  });
  const headers = {
    "cf-connecting-ip": "192.0.2.1",
    origin: "https://app.example.com",
    "access-control-request-method": "GET",
  };
  const answer = await gateway.request("/api/rides", { method: "OPTIONS", headers });
  expect([answer.status, answer.headers.get("Access-Control-Max-Age")]).toEqual([204, "600"]);
  expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("https://app.example.com");
});

test("the guides' stores of several regions are those among which a name chooses", () => {
  const gatewayIn = (name: string) =>
    configuredGateway(guideCode("[vars.REGION_STORES]"), folder, {
      STORE: "redis",
      UPSTASH_REDIS_REST_URL: inject("redisRestUrl"),
      UPSTASH_REDIS_REST_TOKEN: inject("redisRestToken"),
      RULES: [{ path: "/*", policies: [quota("all", 100)] }],
      REGION_NAME: name,
      [`REGION_REDIS_REST_TOKEN_${name.toUpperCase()}`]: "secret",
    });
  for (const name of ["fra", "iad", "syd"]) expect(() => gatewayIn(name)).not.toThrow();
  expect(() => gatewayIn("gru")).toThrow('REGION_NAME: "gru": Use "fra", "iad" or "syd".');
});

test("the guide's middleware takes no client for signed in that says so itself", async () => {
  const block = blocks.find(({ code }) => code.includes("isSignedIn"))!;
  const { default: handler } = await run<{ default(request: Request): Promise<Response> }>(block);
  const address = { "x-real-ip": addressOfNext() };
  const answerTo = async (headers: Record<string, string>) => {
    const { status, headers: fields } = await handler(
      new Request("https://example.com/api/rides", { headers: { ...address, ...headers } }),
    );
    return [status, fields.get("location") ?? fields.get("x-middleware-next")];
  };
  const user = `guide${++clients}`;
  const signIn = [302, "https://example.com/sign-in"];
  const [signature] = /[0-9a-f]{64}/.exec(sessionOf(user))!;
  for (const headers of [
    {},
    { "x-user-id": user },
    { cookie: `session=${user}` },
    { cookie: `session=other.${signature}` },
    { cookie: `session=${user}.${"0".repeat(64)}` },
    { cookie: sessionOf(user, "another secret") },
    { cookie: `no${sessionOf(user)}` },
  ]) {
    expect([headers, await answerTo(headers)]).toEqual([headers, signIn]);
  }
  expect(await answerTo({ cookie: sessionOf(user) })).toEqual([200, "1"]);
  expect(await answerTo({ cookie: `a=b; ${sessionOf(user)}; c=d` })).toEqual([200, "1"]);
});

test("the guides' wrangler.toml is a gateway's, and its rule limits", async () => {
  const gateway = configuredGateway(guideCode("login-burst"), folder, { ORIGIN: origin.url });
  const statuses: number[] = [];
  for (let login = 0; login < 7; login++) {
    statuses.push((await gateway.request("/api/login", { method: "POST" })).status);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
});

test("the guides' patterns cover the paths that it says they do, and its backstop the rest", async () => {
  const code = guideCode('"/**/api/login');
  const gateway = configuredGateway(code, folder, { ORIGIN: origin.url });
  const policiesOf = async (method: string, path: string) => {
    const { headers } = await gateway.request(path, { method });
    return [...(headers.get("RateLimit-Policy") ?? "").matchAll(/"([a-z]+)"/g)].map(([, n]) => n);
  };
  for (const path of [
    "/api/login",
    "/api/login.json",
    "/api/login.php/x",
    "/index.php/api/login",
    "/a/b/api/login",
  ]) {
    expect([path, await policiesOf("POST", path)]).toEqual([path, ["login", "backstop"]]);
  }
  for (const path of ["/", "/api", "/login", "/api/log-in", "/@scope%2fname"]) {
    expect([path, await policiesOf("POST", path)]).toEqual([path, ["backstop"]]);
  }
  expect(await policiesOf("GET", "/api/login")).toEqual(["backstop"]);
  // The window's five have gone.
  expect((await gateway.request("/api/login;x/y", { method: "POST" })).status).toBe(429);
  expect((await gateway.request("/api%2Flogin", { method: "POST" })).status).toBe(400);
});

const reasonOf = (response: Response) => response.headers.get("X-RateLimit-Reason");

test("the guide's lists exempt and refuse who they name", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2029-12-31T00:00:00Z") });
  onTestFinished(() => void vi.useRealTimers());
  const gateway = configuredGateway(guideCode("[vars.LISTS]"), folder, {
    ORIGIN: origin.url,
    RULES: [{ path: "/*", policies: [{ algorithm: "fixed-window", limit: 9, window: "1d" }] }],
  });
  const ask = async (address: string, fields: object = {}, cf: object = {}) => {
    const headers = { "cf-connecting-ip": address, ...fields };
    const request = Object.assign(new Request("https://a.example/", { headers }), { cf });
    return reasonOf(await gateway.fetch(request));
  };
  expect(await ask("192.0.2.200")).toBe("exempt");
  expect(await ask("203.0.113.1", { "x-user-id": "42" }, { country: "KP" })).toBe("exempt");
  expect(await ask("203.0.113.1", { "x-user-id": "43" }, { country: "KP" })).toBe("blocked");
  expect(await ask("203.0.113.1", {}, { asn: 64496, country: "CH" })).toBe("blocked");
  expect(await ask("2001:db8::1", {}, { country: "CH" })).toBe("blocked");
  expect(await ask("203.0.113.1", {}, { asn: 1, country: "CH" })).toBeNull();
  vi.setSystemTime(Date.parse("2030-01-01T00:00:00Z"));
  expect(await ask("203.0.113.1", { "x-user-id": "42" }, { country: "KP" })).toBe("blocked");
});

test("the example of docs/options.md exempts and refuses who it names", async () => {
  const example = codeBlocks("docs/options.md").find(({ code }) => code.includes("lists: lists("))!;
  const { default: app } = await run<Served>(example);
  const ask = async (headers: Record<string, string>) =>
    reasonOf(await app.request("/", { headers }));
  expect(await ask({ "cf-connecting-ip": "192.0.2.1" })).toBe("exempt");
  expect(await ask({ "cf-connecting-ip": "192.0.3.1" })).toBe("blocked");
  expect(await ask({ "cf-connecting-ip": "192.0.3.1", "x-user-id": "42" })).toBe("exempt");
  // A Redis that answers too late is none of the lists' reasons either.
  const unlisted = await ask({ "cf-connecting-ip": "192.1.0.1", "x-user-id": "43" });
  expect(["exempt", "blocked"]).not.toContain(unlisted);
});
