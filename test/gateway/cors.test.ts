import { describe, expect, onTestFinished, test, vi } from "vitest";

import { createGateway } from "../../src/gateway/gateway.ts";
import { gatewayTo, quota, startOrigin } from "../support/gateway/gateway.ts";
import { useDeployed } from "./deployed.ts";

const APP = "https://app.example";
const RULES = [
  { method: "POST", path: "/api/login", policies: [quota("login", 1)] },
  { method: ["GET", "PUT", "OPTIONS"], path: "/api/rides/:id", policies: [quota("rides", 1)] },
  {
    path: "/keyed",
    partition: ["header:x-key"],
    onMissing: "reject",
    policies: [quota("keyed", 1)],
  },
];
const CORS = { origin: [APP, "https://other.example"], credentials: true, maxAge: 600 };

const EXPOSED =
  "RateLimit,RateLimit-Policy,X-RateLimit-Limit,X-RateLimit-Remaining,X-RateLimit-Reset,X-RateLimit-Reason,Retry-After";

/** A gateway whose calls of Redis are counted; what it counts in memory, nobody sees. */
function gatewayWith(variables: object) {
  const fetched = vi.spyOn(globalThis, "fetch");
  onTestFinished(() => fetched.mockRestore());
  const redis = "http://127.0.0.1:1";
  const gateway = createGateway({
    CLIENT_IP: "cloudflare",
    UPSTASH_REDIS_REST_URL: redis,
    UPSTASH_REDIS_REST_TOKEN: "t",
    RULES,
    CORS,
    ...variables,
  });
  return {
    calls: () => fetched.mock.calls.filter(([input]) => String(input).startsWith(redis)).length,
    async ask(path: string, headers: Record<string, string> = {}, method = "GET") {
      const sent = { "cf-connecting-ip": "192.0.2.1", origin: APP, ...headers };
      return gateway.fetch(new Request(`http://gateway.example${path}`, { method, headers: sent }));
    },
  };
}

/** The fields of CORS that a response has. */
function corsOf({ headers }: Response) {
  const names = [...headers].filter(([name]) => /^access-control-|^vary$/.test(name));
  return Object.fromEntries(names);
}

const allowed = {
  "access-control-allow-origin": APP,
  "access-control-allow-credentials": "true",
  "access-control-expose-headers": EXPOSED,
  vary: "Origin",
};

const preflight = (method: string, more: object = {}) => ({
  "access-control-request-method": method,
  ...more,
});

describe("with CORS, a preflight", () => {
  test("of a covered route is answered by the gateway, without Redis, the origin and a count", async () => {
    const origin = await startOrigin();
    const { ask, calls } = gatewayWith({ ORIGIN: origin.url });
    for (let i = 0; i < 5; i++) {
      const answer = await ask(
        "/api/login",
        preflight("POST", { "access-control-request-headers": "content-type, x-key" }),
        "OPTIONS",
      );
      expect([answer.status, await answer.text()]).toEqual([204, ""]);
      expect(corsOf(answer)).toEqual({
        ...allowed,
        "access-control-allow-headers": "content-type,x-key",
        "access-control-allow-methods": "GET,HEAD,PUT,POST,DELETE,PATCH,QUERY",
        "access-control-max-age": "600",
        vary: "Origin, Access-Control-Request-Headers",
      });
      expect(answer.headers.has("RateLimit")).toBe(false);
    }
    expect([calls(), origin.seen.length]).toEqual([0, 0]);
  });

  test.for<[what: string, path: string, fields: Record<string, string>]>([
    ["whose own method is covered", "/api/rides/1", preflight("DELETE")],
    ["whose asked method is covered", "/api/rides/1", preflight("PUT")],
    ["in small letters", "/api/login", preflight("post")],
    [
      "that overrides its method",
      "/api/login",
      { ...preflight("GET"), "x-http-method-override": "POST" },
    ],
    ["on a path that an origin may read so", "/api/login?_method=POST", preflight("GET")],
  ])("is one that never reaches the origin: %s", async ([, path, fields]) => {
    const origin = await startOrigin();
    const { ask, calls } = gatewayWith({ ORIGIN: origin.url });
    expect((await ask(path, fields, "OPTIONS")).status).toBe(204);
    expect([calls(), origin.seen.length]).toEqual([0, 0]);
  });

  test.for<[what: string, fields: Record<string, string>, method?: string]>([
    ["asks for no method", { origin: APP }],
    ["has no origin", preflight("GET")],
    ["has another method", { origin: APP, ...preflight("GET") }, "PUT"],
  ])("is no request that $0: it is counted", async ([, headers, method = "OPTIONS"]) => {
    const origin = await startOrigin();
    const ask = gatewayTo(origin.url, RULES, { CORS });
    const statuses = [];
    for (let i = 0; i < 2; i++) {
      statuses.push((await ask("/api/rides/1", { method, headers })).status);
    }
    expect([statuses, origin.seen.length]).toEqual([[200, 429], 1]);
  });

  test("of a route that no rule covers passes as it is", async () => {
    const origin = await startOrigin((request, response) => {
      response.setHeader("Access-Control-Allow-Origin", "*");
      response.end(request.method);
    });
    const { ask } = gatewayWith({ ORIGIN: origin.url, STORE: "memory" });
    for (const [path, method] of [
      ["/other", "POST"],
      ["/api/login", "GET"],
    ] as const) {
      const answer = await ask(path, preflight(method), "OPTIONS");
      expect([answer.status, await answer.text()]).toEqual([200, "OPTIONS"]);
      expect(corsOf(answer)).toEqual({ "access-control-allow-origin": "*" });
    }
  });

  test("of a client on the list deny gets a 403, and one to a hostile path a 400, both readable", async () => {
    const { ask } = gatewayWith({
      ORIGIN: "http://127.0.0.1:1",
      LISTS: { deny: [{ cidr: "192.0.2.0/24" }] },
    });
    const blocked = await ask("/api/login", preflight("POST"), "OPTIONS");
    expect([blocked.status, corsOf(blocked)]).toEqual([403, allowed]);
    const elsewhere = { "cf-connecting-ip": "198.51.100.1" };
    const hostile = await ask("/api%5Clogin", { ...preflight("POST"), ...elsewhere }, "OPTIONS");
    expect([hostile.status, corsOf(hostile)]).toEqual([400, allowed]);
  });

  test("of another site is answered without its permission", async () => {
    const { ask } = gatewayWith({ ORIGIN: "http://127.0.0.1:1" });
    for (const from of [
      "https://evil.example",
      "null",
      `${APP}.evil.example`,
      "HTTPS://APP.EXAMPLE",
    ]) {
      const answer = await ask("/api/login", { ...preflight("POST"), origin: from }, "OPTIONS");
      expect([from, answer.status]).toEqual([from, 204]);
      expect(answer.headers.has("access-control-allow-origin")).toBe(false);
    }
  });
});

test("with CORS, a script can read every answer of the gateway's own", async () => {
  vi.spyOn(console, "warn").mockReturnValue();
  const dead = "http://127.0.0.1:1";
  const statuses: Record<string, number> = {};
  async function note(
    what: string,
    { ask }: ReturnType<typeof gatewayWith>,
    path: string,
    fields = {},
  ) {
    const answer = await ask(path, fields, what.startsWith("login") ? "POST" : "GET");
    statuses[what] = answer.status;
    expect([what, corsOf(answer)]).toEqual([what, allowed]);
  }
  const inMemory = { ORIGIN: dead, STORE: "memory" };
  const gateway = gatewayWith(inMemory);
  await note("login", gateway, "/api/login");
  await note("login again", gateway, "/api/login");
  await note("no rule, dead origin", gateway, "/other");
  await note("no identity", gateway, "/keyed");
  await note("hostile", gateway, "/a%5Cb");
  await note("own path", gateway, "/_tidegate/none");
  await note(
    "quota",
    gatewayWith({ ...inMemory, RULES: [{ ...RULES[0], quota: true }] }),
    "/_tidegate/quota",
  );
  const denying = { LISTS: { deny: [{ cidr: "::/0" }, { cidr: "0.0.0.0/0" }] } };
  await note("blocked", gatewayWith({ ...inMemory, ...denying }), "/other");
  await note(
    "login without Redis",
    gatewayWith({ ORIGIN: dead, ON_FAILURE: "closed" }),
    "/api/login",
  );
  const silent = await startOrigin(() => {});
  const hasty = { ORIGIN: silent.url, STORE: "memory", ORIGIN_TIMEOUT: "10ms" };
  await note("silent", gatewayWith(hasty), "/keyed", { "x-key": "k" });
  await note("silent, no rule", gatewayWith(hasty), "/other");
  expect(statuses).toEqual({
    login: 502,
    "login again": 429,
    "no rule, dead origin": 502,
    "no identity": 400,
    hostile: 400,
    "own path": 404,
    quota: 200,
    blocked: 403,
    "login without Redis": 503,
    silent: 504,
    "silent, no rule": 504,
  });
});

test("with CORS, a script can read that the gateway failed", async () => {
  vi.spyOn(console, "warn").mockReturnValue();
  const gateway = createGateway({
    ORIGIN: "http://127.0.0.1:1",
    STORE: "memory",
    RULES,
    CORS,
    CLIENT_IP: "vercel",
  });
  const headers = new Headers({ origin: APP });
  const request = new Request("http://gateway.example/keyed", { headers });
  Object.defineProperty(request, "headers", {
    get() {
      if (new Error("who asks").stack!.includes("route.ts")) throw new Error("broken");
      return headers;
    },
  });
  const answer = await gateway.fetch(request);
  expect([answer.status, corsOf(answer)]).toEqual([500, allowed]);
});

test("with CORS, a script that sends a key can read what its client has left", async () => {
  const { ask } = gatewayWith({
    ORIGIN: "http://127.0.0.1:1",
    STORE: "memory",
    RULES: [{ ...RULES[2], quota: true }],
  });
  const asking = preflight("GET", { "access-control-request-headers": "x-key" });
  const permission = await ask("/_tidegate/quota", asking, "OPTIONS");
  expect([permission.status, permission.headers.get("access-control-allow-headers")]).toEqual([
    204,
    "x-key",
  ]);
  const left = await ask("/_tidegate/quota", { "x-key": "k" });
  expect([left.status, corsOf(left)]).toEqual([200, allowed]);
  const api = await ask("/_tidegate/api/v1/rules", asking, "OPTIONS");
  expect([api.status, api.headers.has("access-control-allow-headers")]).toEqual([404, false]);
});

describe("with CORS, an answer of the origin", () => {
  test("has the fields where a rule covers the request, and is unchanged elsewhere", async () => {
    const origin = await startOrigin((_request, response) => {
      response.setHeader("Vary", "Accept");
      response.end("origin");
    });
    const { ask } = gatewayWith({ ORIGIN: origin.url, STORE: "memory" });
    expect(corsOf(await ask("/api/rides/1"))).toEqual({ ...allowed, vary: "Accept, Origin" });
    expect(corsOf(await ask("/other"))).toEqual({ vary: "Accept" });
    const stranger = await ask("/api/rides/2", {
      origin: "https://evil.example",
      "cf-connecting-ip": "192.0.2.2",
    });
    expect(stranger.headers.has("access-control-allow-origin")).toBe(false);
    expect(stranger.headers.get("vary")).toBe("Accept, Origin");
  });

  test("keeps its own permission, and exposes the limiter's fields beside its own", async () => {
    const origin = await startOrigin((_request, response) => {
      response.setHeader("Access-Control-Allow-Origin", "https://third.example");
      response.setHeader("Access-Control-Expose-Headers", "X-Page");
      response.end("origin");
    });
    const { ask } = gatewayWith({ ORIGIN: origin.url, STORE: "memory" });
    expect(corsOf(await ask("/api/rides/1"))).toEqual({
      "access-control-allow-origin": "https://third.example",
      "access-control-expose-headers": `X-Page, ${EXPOSED}`,
    });
  });
});

test.for<[cors: object | string, expected: object]>([
  [
    { origin: "*" },
    { "access-control-allow-origin": "*", "access-control-expose-headers": EXPOSED },
  ],
  [
    JSON.stringify({ origin: APP, exposeHeaders: ["X-Page"] }),
    {
      "access-control-allow-origin": APP,
      "access-control-expose-headers": `${EXPOSED},X-Page`,
      vary: "Origin",
    },
  ],
])("CORS %j", async ([cors, expected]) => {
  const { ask } = gatewayWith({ ORIGIN: "http://127.0.0.1:1", STORE: "memory", CORS: cors });
  expect(corsOf(await ask("/keyed"))).toEqual(expected);
});

test("without CORS nothing changes: a preflight is a request like any other", async () => {
  const origin = await startOrigin();
  const { ask } = gatewayWith({ ORIGIN: origin.url, STORE: "memory", CORS: undefined });
  const statuses = [];
  for (let i = 0; i < 2; i++) {
    const answer = await ask("/api/rides/1", preflight("GET"), "OPTIONS");
    statuses.push(answer.status);
    expect(corsOf(answer)).toEqual({});
  }
  expect([statuses, origin.seen.map(({ method }) => method)]).toEqual([[200, 429], ["OPTIONS"]]);
});

describe("the deployed worker", () => {
  const deployed = useDeployed({ CORS: { origin: APP } });

  test("answers preflights, and lets a script read its 429", async () => {
    let reached = 0;
    deployed.answer((_request, response) => {
      reached++;
      response.end();
    });
    const headers = { origin: APP, "x-test": crypto.randomUUID() };
    const asking = { ...headers, "access-control-request-method": "GET" };
    const answers = [
      await deployed.ask("/once/a", { method: "OPTIONS", headers: asking }),
      await deployed.ask("/once/a", { method: "OPTIONS", headers: asking }),
      await deployed.ask("/once/a", { headers }),
      await deployed.ask("/once/a", { headers }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 200, 429]);
    expect(reached).toBe(1);
    for (const { headers: answered } of answers) {
      expect(answered["access-control-allow-origin"]).toBe(APP);
      expect(answered["access-control-expose-headers"]).toBe(EXPOSED);
      expect(answered["vary"]).toMatch(/^Origin/);
    }
  });
});
