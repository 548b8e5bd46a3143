import express from "express";
import fastify5 from "fastify5";
import { describe, expect, test, vi } from "vitest";

import { rateLimit as expressLimit } from "../../src/express.ts";
import { type FastifyRequest, rateLimit } from "../../src/fastify.ts";
import {
  cookie,
  fixedWindow,
  header,
  lists,
  memoryStore,
  plans,
  query,
  tokenBucket,
} from "../../src/index.ts";
import { startOrigin } from "../support/gateway/gateway.ts";
import { FRAMEWORKS, requestFrom, serve } from "./apps.ts";

const policies = [tokenBucket({ name: "burst", limit: 2, refill: 1, per: "1s" })];
const hourly = (limit: number) => [fixedWindow({ name: "hourly", limit, window: "1h" })];

/** Counts one client in memory, whoever asks. */
const forAda = (limit: number) => ({
  store: memoryStore(),
  policies: hourly(limit),
  partition: () => "ada",
});

/** A store on a clock that the test moves, in seconds. */
function clockedStore() {
  const clock = { seconds: 1_800_000_000 };
  return { clock, store: memoryStore({ now: () => clock.seconds * 1e6 }) };
}

async function statusesOf(url: string, headers: readonly HeadersInit[]): Promise<number[]> {
  const statuses = [];
  for (const each of headers) statuses.push((await fetch(url, { headers: each })).status);
  return statuses;
}

describe.for(FRAMEWORKS)("rateLimit() in %s", ([, create]) => {
  test("lets requests pass with the decision's fields, then answers 429 until there is room again", async () => {
    const { clock, store } = clockedStore();
    const common = { store, policies, denialCache: false } as const;
    const url = await serve(create, { ...common, partition: () => "ada" });

    const first = await fetch(url);
    expect([first.status, await first.text()]).toEqual([200, "hello"]);
    expect(first.headers.get("RateLimit")).toBe('"burst";r=1;t=1');
    expect(first.headers.get("RateLimit-Policy")).toBe('"burst";q=2;w=2');
    expect(first.headers.get("X-RateLimit-Reset")).toBe("1800000001");
    expect(first.headers.has("Retry-After")).toBe(false);

    expect((await fetch(url)).headers.get("RateLimit")).toBe('"burst";r=0;t=2');

    const denied = await fetch(url);
    expect(denied.status).toBe(429);
    expect(denied.headers.get("Content-Type")).toBe("application/problem+json");
    expect(denied.headers.get("Cache-Control")).toBe("no-store");
    expect(denied.headers.get("Retry-After")).toBe("1");
    expect(await denied.json()).toMatchObject({ status: 429, "violated-policies": ["burst"] });

    clock.seconds += 1;
    expect(await statusesOf(url, [{}, {}])).toEqual([200, 429]);
  });

  test("leaves the decision where the framework keeps what belongs to a request", async () => {
    const url = await serve(
      create,
      { store: memoryStore(), policies, partition: () => "ada" },
      ({ decision, send }) => send(200, JSON.stringify(decision)),
    );
    expect(await (await fetch(url)).json()).toMatchObject({
      allowed: true,
      reason: "allowed",
      policies: [{ name: "burst", limit: 2, remaining: 1 }],
    });
  });

  test("reads keys, cookies and parameters as clients send them, each policy by its own", async () => {
    const url = await serve(create, {
      store: memoryStore(),
      policies: [
        fixedWindow({ name: "key", limit: 1, window: "1h" }),
        fixedWindow({ name: "all", limit: 4, window: "1h", partition: "*" }),
      ],
      partition: [header("x-api-key"), cookie("session"), query("key")],
    });
    expect(
      await statusesOf(`${url}/?key=q`, [
        { "x-api-key": "a" },
        { "x-api-key": "a" },
        { "x-api-key": "b" },
        { cookie: "session=a" },
        {},
        {},
        { "x-api-key": "c" },
      ]),
    ).toEqual([200, 429, 200, 200, 200, 429, 429]);
  });

  test('counts by the address of the connection with clientIp "socket", and by a proxy\'s word with trustedHops', async () => {
    const counted = () => ({ store: memoryStore(), policies: hourly(1) });
    const socket = await serve(create, { ...counted(), clientIp: "socket" });
    const statuses = [];
    for (const from of ["127.0.0.1", "127.0.0.1", "127.0.0.2"]) {
      const forwarded = { "x-forwarded-for": crypto.randomUUID() };
      statuses.push(await requestFrom(from, socket, forwarded).status);
    }
    expect(statuses).toEqual([200, 429, 200]);

    const proxied = await serve(create, { ...counted(), clientIp: { trustedHops: 1 } });
    expect(
      await statusesOf(proxied, [
        { "x-forwarded-for": "192.0.2.1" },
        { "x-forwarded-for": "203.0.113.9, 192.0.2.1" },
        { "x-forwarded-for": "192.0.2.1, 192.0.2.2" },
      ]),
    ).toEqual([200, 429, 200]);
  });

  test("charges a cost, decides by a plan, and passes and refuses those on lists", async () => {
    const url = await serve(create, {
      store: memoryStore(),
      policies: [fixedWindow({ name: "hourly", limit: 4, window: "1h" })],
      plans: plans({ gold: { hourly: { limit: 8 } } }),
      plan: "header:x-plan",
      cost: ({ headers }) => Number(headers["x-cost"]),
      partition: ({ headers }) => headers["x-user"] as string,
      lists: lists({ allow: [{ identity: "root" }], deny: [{ identity: "mallory" }] }),
    });
    const ada = { "x-user": "ada", "x-cost": "4" };
    expect(
      await statusesOf(url, [
        ada,
        ada,
        { ...ada, "x-plan": "gold" },
        { ...ada, "x-user": "root" },
        { ...ada, "x-user": "mallory" },
      ]),
    ).toEqual([200, 429, 200, 200, 403]);
  });

  test("answers 400 where an identity is missing, and 503 where a policy fails closed", async () => {
    const rejecting = await serve(create, {
      store: memoryStore(),
      policies: hourly(1),
      partition: [header("x-api-key")],
      onMissing: "reject",
    });
    const refused = await fetch(rejecting);
    expect([refused.status, await refused.json()]).toMatchObject([400, { title: "Bad Request" }]);

    vi.spyOn(console, "warn").mockReturnValue();
    const closed = await serve(create, {
      redis: { url: "http://127.0.0.1:1", token: "t" },
      policies: hourly(1),
      partition: () => "ada",
      onFailure: "closed",
    });
    expect((await fetch(closed)).status).toBe(503);
    vi.restoreAllMocks();
  });

  test("sends what onDenied answers, with its bytes, its cookies and the decision's fields", async () => {
    const url = await serve(create, {
      ...forAda(1),
      onDenied: ({ headers }, { reason }) =>
        new Response(new Uint8Array([0, 255, 10]), {
          status: 420,
          headers: [
            ["Set-Cookie", "a=1"],
            ["Set-Cookie", "b=2"],
            ["X-Own", `${String(headers["x-user"])} ${reason}`],
            ["Retry-After", "7"],
          ],
        }),
    });
    await fetch(url);
    const denied = await fetch(url, { headers: { "x-user": "ada" } });
    expect(denied.status).toBe(420);
    expect(new Uint8Array(await denied.arrayBuffer())).toEqual(new Uint8Array([0, 255, 10]));
    expect(denied.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(denied.headers.get("X-Own")).toMatch(/^ada (cached-denial|limited)$/);
    expect(denied.headers.get("Retry-After")).toBe("7");
    expect(denied.headers.get("RateLimit")).toMatch(/^"hourly";r=0;t=\d+$/);
  });

  test("lists the policies of two limiters, the inner ones first, and those nearest the handler besides", async () => {
    const store = memoryStore();
    const common = { store, partition: () => "ada" };
    const url = await serve(create, [
      { ...common, policies: [fixedWindow({ name: "outer", limit: 9, window: "1h" })] },
      { ...common, policies: [fixedWindow({ name: "inner", limit: 2, window: "1h" })] },
    ]);
    const limits = [];
    for (let i = 0; i < 3; i++) {
      const { status, headers } = await fetch(url);
      const names = headers.get("RateLimit")!.replaceAll(/;t=\d+/g, "");
      limits.push([status, names, headers.get("X-RateLimit-Limit")]);
    }
    expect(limits).toEqual([
      [200, '"inner";r=1, "outer";r=8', "2"],
      [200, '"inner";r=0, "outer";r=7', "2"],
      [429, '"inner";r=0, "outer";r=6', "2"],
    ]);
  });

  test("hands errors that a function in its options throws to the framework's error handler", async () => {
    const url = await serve(create, {
      ...forAda(1),
      partition: () => {
        throw new Error("no session");
      },
    });
    const failed = await fetch(url);
    expect([failed.status, await failed.text()]).toEqual([500, "error handler: no session"]);
  });

  test("answers HEAD with the fields alone", async () => {
    const url = await serve(create, forAda(1));
    await fetch(url);
    const denied = await fetch(url, { method: "HEAD" });
    expect([denied.status, await denied.text()]).toEqual([429, ""]);
    expect(denied.headers.get("X-RateLimit-Limit")).toBe("1");
  });
});

describe("the plugin of Fastify", () => {
  test("decides in the hook that it is told, with the hooks before it", async () => {
    const bodies: unknown[] = [];
    const app = fastify5();
    await app.register(rateLimit, {
      store: memoryStore(),
      policies: hourly(1),
      hook: "preHandler",
      partition: (request) => {
        const { body } = request as FastifyRequest & { body: { user: string } };
        bodies.push(body);
        return body.user;
      },
    });
    app.post("/", async () => "hello");
    const statuses = [];
    for (const user of ["ada", "ada", "bob"]) {
      const { statusCode } = await app.inject({ method: "POST", url: "/", payload: { user } });
      statuses.push(statusCode);
    }
    expect(statuses).toEqual([200, 429, 200]);
    expect(bodies).toEqual([{ user: "ada" }, { user: "ada" }, { user: "bob" }]);
  });

  test("limits the instance on which it is registered, and the ones inside of that", async () => {
    const app = fastify5();
    app.get("/free", async () => "free");
    await app.register(async (inner) => {
      await inner.register(rateLimit, forAda(1));
      inner.get("/limited", async () => "limited");
      await inner.register(async (innermost) => {
        innermost.get("/inside", async () => "inside");
      });
    });
    const statuses = [];
    for (const url of ["/free", "/limited", "/inside", "/free"]) {
      statuses.push((await app.inject(url)).statusCode);
    }
    expect(statuses).toEqual([200, 200, 429, 200]);
  });

  test("says all faults at once, also of its own option", async () => {
    const register = async () =>
      fastify5().register(rateLimit, {
        policies: hourly(0),
        hook: "onSend" as never,
        clientIP: "socket",
      } as never);
    await expect(register).rejects.toMatchObject({
      faults: [
        { path: "hook", value: '"onSend"' },
        { path: "clientIP" },
        { path: "clientIp" },
        { path: "policies[0].limit", value: "0" },
        { path: "UPSTASH_REDIS_REST_URL" },
        { path: "UPSTASH_REDIS_REST_TOKEN" },
      ],
    });
  });
});

test("a plain value is a fault of middleware that says its import", () => {
  const options = { store: memoryStore(), policies: hourly(1), clientIp: "socket" as const };
  const plain = () =>
    expressLimit({ ...options, plans: {} as never, partition: ["header:x-key"] as never });
  expect(plain).toThrow(
    expect.objectContaining({
      faults: [
        expect.objectContaining({
          path: "plans",
          remedy: 'Import { plans } from "tidegate", and give plans(...).',
        }),
        expect.objectContaining({
          path: "partition[0]",
          remedy: 'Import { header } from "tidegate", and give header("x-key").',
        }),
      ],
    }),
  );
  expect(expressLimit({ ...options, plans: plans({}), partition: [header("x-key")] })).toBeTypeOf(
    "function",
  );
});

test("middleware of Express leaves a response that something before it has sent meanwhile", async () => {
  const app = express();
  let reached = 0;
  app.use((_request, response, next) => {
    next();
    response.status(503).send("too slow");
  });
  app.use(expressLimit(forAda(1)));
  app.use(() => void reached++);
  const { url } = await startOrigin(app);
  const texts = [];
  for (let i = 0; i < 2; i++) {
    const response = await fetch(url);
    texts.push([response.status, await response.text()]);
  }
  expect(texts).toEqual([
    [503, "too slow"],
    [503, "too slow"],
  ]);
  await vi.waitFor(() => expect(reached).toBe(1));
});
