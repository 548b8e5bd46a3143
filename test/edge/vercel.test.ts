import { describe, expect, inject, test } from "vitest";

import { fixedWindow, header, lists, plans, soft as inSoft } from "../../src/index.ts";
import { ConfigurationError, type Fault } from "../../src/options/errors.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import { rateLimit, type RateLimitOptions } from "../../src/vercel.ts";

const policies = [fixedWindow({ name: "hourly", limit: 2, window: "30d" })];

function from(address: string | undefined, init: RequestInit = {}): Request {
  const headers = address === undefined ? {} : { "x-real-ip": address };
  return new Request("https://shop.example/api/x", { headers, ...init });
}

function faultsOf(options: object): readonly Fault[] {
  try {
    rateLimit(options as RateLimitOptions);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return (error as ConfigurationError).faults;
  }
  return [];
}

describe("rateLimit() of tidegate/vercel, in Vercel's runtime", () => {
  test("sends an allowed request on to its route, with the fields for the route's response", async () => {
    const middleware = rateLimit({ store: openMemoryStore(), policies });
    const answer = await middleware(from("192.0.2.1"));
    expect([answer.status, answer.body]).toEqual([200, null]);
    expect(answer.headers.get("x-middleware-next")).toBe("1");
    expect(answer.headers.get("RateLimit-Policy")).toBe('"hourly";q=2;w=2592000');
    expect(answer.headers.get("X-RateLimit-Remaining")).toBe("1");
    expect(answer.headers.has("Retry-After")).toBe(false);
  });

  test("answers a denied one itself", async () => {
    const middleware = rateLimit({ store: openMemoryStore(), policies });
    await middleware(from("192.0.2.1"));
    await middleware(from("192.0.2.1"));
    const answer = await middleware(from("192.0.2.1"));
    expect(answer.status).toBe(429);
    expect(answer.headers.has("x-middleware-next")).toBe(false);
    expect(answer.headers.get("Content-Type")).toBe("application/problem+json");
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(await answer.json()).toMatchObject({ status: 429, "violated-policies": ["hourly"] });
    expect((await middleware(from("192.0.2.2"))).status).toBe(200);
  });

  test("hands allowed requests to the middleware behind it, and adds the fields to its answer", async () => {
    const asked: string[] = [];
    const middleware = rateLimit({
      store: openMemoryStore(),
      policies,
      onAllowed(request, decision) {
        asked.push(`${new URL(request.url).pathname} ${decision.policies[0]!.remaining}`);
        return Response.redirect("https://shop.example/sign-in", 307);
      },
    });
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await middleware(from("192.0.2.1")));
    expect(answers.map(({ status }) => status)).toEqual([307, 307, 429]);
    expect(asked).toEqual(["/api/x 1", "/api/x 0"]);
    expect(Object.fromEntries(answers[0]!.headers)).toMatchObject({
      location: "https://shop.example/sign-in",
      "ratelimit-policy": '"hourly";q=2;w=2592000',
      "x-ratelimit-remaining": "1",
    });
    expect(answers[0]!.headers.has("x-middleware-next")).toBe(false);
  });

  test("sends a request on where the middleware behind it answers nothing, also late", async () => {
    for (const onAllowed of [() => {}, () => null, async () => undefined]) {
      const middleware = rateLimit({ store: openMemoryStore(), policies, onAllowed });
      const answer = await middleware(from("192.0.2.1"));
      expect([answer.status, answer.headers.get("x-middleware-next")]).toEqual([200, "1"]);
      expect(answer.headers.get("X-RateLimit-Remaining")).toBe("1");
    }
  });

  test("keeps a go-on of its own, with its additions", async () => {
    const middleware = rateLimit({
      store: openMemoryStore(),
      policies,
      onAllowed: async () =>
        new Response(null, { headers: { "x-middleware-next": "1", "set-cookie": "seen=1" } }),
    });
    const { headers } = await middleware(from("192.0.2.1"));
    expect([headers.get("x-middleware-next"), headers.get("set-cookie")]).toEqual(["1", "seen=1"]);
    expect(headers.get("X-RateLimit-Remaining")).toBe("1");
  });

  test("refuses an onAllowed that is no function", () => {
    const faults = faultsOf({ store: openMemoryStore(), policies, onAllowed: "next" });
    expect(faults.map(({ path, value }) => [path, value])).toEqual([["onAllowed", '"next"']]);
  });

  test("decides on a real Redis, over the runtime's own fetch", async () => {
    const options = {
      redis: { url: inject("redisRestUrl"), token: inject("redisRestToken") },
      policies,
      partition: (request: Request) => new URL(request.url).hostname,
      prefix: crypto.randomUUID(),
    };
    // Two isolates.
    const [one, other] = [rateLimit(options), rateLimit(options)];
    const statuses = [];
    for (const middleware of [one, other, one, other]) {
      statuses.push((await middleware(from(undefined))).status);
    }
    expect(statuses).toEqual([200, 200, 429, 429]);
  });

  test("trusts Vercel with the client's address, and no other platform", async () => {
    const middleware = rateLimit({ store: openMemoryStore(), policies, onMissing: "reject" });
    const spoofed = { "x-forwarded-for": "192.0.2.1", "cf-connecting-ip": "192.0.2.1" };
    expect((await middleware(from(undefined, { headers: spoofed }))).status).toBe(400);
    expect((await middleware(from("192.0.2.1"))).status).toBe(200);
  });

  test("lets onDenied answer", async () => {
    const middleware = rateLimit({
      store: openMemoryStore(),
      policies,
      cost: () => 3,
      onDenied: (request, { reason }) =>
        Response.redirect(new URL(`/slow-down?${reason}`, request.url), 302),
    });
    const answer = await middleware(from("192.0.2.1"));
    expect([answer.status, answer.headers.get("Location")]).toEqual([
      302,
      "https://shop.example/slow-down?cost-exceeds-limit",
    ]);
    expect(answer.headers.get("Retry-After")).toMatch(/^[1-9]\d*$/);
    expect(answer.headers.get("X-RateLimit-Reason")).toBe("cost-exceeds-limit");
    expect(answer.headers.has("RateLimit")).toBe(true);
    expect(answer.headers.has("x-middleware-next")).toBe(false);
  });

  test("answers by itself where onDenied says nothing, at once or later", async () => {
    for (const onDenied of [() => undefined, async () => undefined]) {
      const middleware = rateLimit({
        store: openMemoryStore(),
        policies,
        cost: () => 3,
        onDenied: onDenied as never,
      });
      expect((await middleware(from("192.0.2.1"))).status).toBe(429);
    }
  });

  test("decides by the plan that a header names, by costs of policies, and by partitions of their own", async () => {
    const middleware = rateLimit({
      store: openMemoryStore(),
      policies: [
        fixedWindow({ name: "tokens", limit: 10, window: "30d" }),
        fixedWindow({ name: "everyone", limit: 50, window: "30d", partition: "*" }),
        fixedWindow({
          name: "key",
          limit: 5,
          window: "30d",
          partition: [header("x-api-key")],
          onMissing: "skip",
        }),
      ],
      plans: plans({ gold: { tokens: { limit: 100 } } }),
      plan: "header:x-plan",
      cost: { tokens: 3 },
    });
    const ask = async (address: string, fields: Record<string, string>) => {
      const { headers } = await middleware(
        new Request("https://shop.example/", { headers: { "x-real-ip": address, ...fields } }),
      );
      return headers.get("RateLimit")!.replaceAll(/;t=\d+/g, "");
    };
    expect([
      await ask("192.0.2.1", {}),
      await ask("192.0.2.1", { "x-plan": "gold" }),
      await ask("192.0.2.2", { "x-plan": "lead", "x-api-key": "a" }),
    ]).toEqual([
      '"tokens";r=7, "everyone";r=49',
      '"tokens";r=94, "everyone";r=48',
      '"tokens";r=7, "everyone";r=47, "key";r=4',
    ]);
  });

  test("says all faults when it is made", () => {
    const faults = faultsOf({
      policies: [fixedWindow({ limit: 0, window: "1h" })],
      clientIp: "nginx",
      onDenied: "no",
      onmissing: "reject",
      timeout: "0s",
    });
    expect(faults.map(({ path }) => path).sort()).toEqual([
      "UPSTASH_REDIS_REST_TOKEN",
      "UPSTASH_REDIS_REST_URL",
      "clientIp",
      "onDenied",
      "onmissing",
      "policies[0].limit",
      "timeout",
    ]);
  });
});

/** The request that a route gets, by the rules of the platform: all fields of the list, and none besides. */
function routed(request: Request, { headers }: Response): Record<string, string> {
  const list = headers.get("x-middleware-override-headers");
  const names = list?.split(",") ?? [];
  return list === null
    ? Object.fromEntries(request.headers)
    : Object.fromEntries(
        names.map((name) => [name, headers.get(`x-middleware-request-${name}`) ?? "(nothing)"]),
      );
}

describe("a route", () => {
  const soft = inSoft(fixedWindow({ name: "fair", limit: 1, window: "30d" }));
  const given = { "x-real-ip": "192.0.2.1", cookie: "a=b; c=d", authorization: "Bearer k" };
  const request = (more: Record<string, string> = {}) =>
    new Request("https://shop.example/api/x", { headers: { ...given, ...more } });

  test("is told which soft policies a request is over, and keeps all other fields", async () => {
    const middleware = rateLimit({ store: openMemoryStore(), policies: [soft, ...policies] });
    const first = await middleware(request());
    expect([...first.headers.keys()].filter((name) => name.startsWith("x-middleware"))).toEqual([
      "x-middleware-next",
    ]);
    const second = await middleware(request());
    expect(second.headers.get("x-middleware-next")).toBe("1");
    expect(routed(request(), second)).toEqual({ ...given, "tidegate-over": '"fair"' });
  });

  test("is told nothing that a client made up", async () => {
    const made = { "Tidegate-Over": '"made up"', Tidegate_Over: "x", "tidegate.over": "x" };
    const quiet = rateLimit({ store: openMemoryStore(), policies });
    expect(routed(request(made), await quiet(request(made)))).toEqual(given);
    const over = rateLimit({ store: openMemoryStore(), policies: [soft], cost: () => 2 });
    expect(routed(request(made), await over(request(made)))).toEqual({
      ...given,
      "tidegate-over": '"fair"',
    });
    const exempt = rateLimit({
      store: openMemoryStore(),
      policies: [soft],
      cost: () => 2,
      lists: lists({ allow: [{ cidr: "192.0.2.0/24" }] }),
    });
    expect(routed(request(made), await exempt(request(made)))).toEqual(given);
  });

  test.each(["x-middleware-next", "x-middleware-rewrite"])(
    "keeps the fields as a middleware behind changes them, and is told beside it (%s)",
    async (goOn) => {
      const middleware = rateLimit({
        store: openMemoryStore(),
        policies: [soft],
        cost: () => 2,
        onAllowed: () =>
          new Response(null, {
            headers: {
              [goOn]: "1",
              "x-middleware-override-headers": "cookie, x-user",
              "x-middleware-request-cookie": "a=b",
              "x-middleware-request-x-user": "42",
            },
          }),
      });
      expect(routed(request(), await middleware(request()))).toEqual({
        cookie: "a=b",
        "x-user": "42",
        "tidegate-over": '"fair"',
      });
    },
  );

  test("is not asked where a middleware behind answers, and no field of the request is in that answer", async () => {
    const middleware = rateLimit({
      store: openMemoryStore(),
      policies: [soft],
      cost: () => 2,
      onAllowed: () => new Response("own"),
    });
    const { headers } = await middleware(request({ "tidegate-over": "x" }));
    expect([...headers.keys()].filter((name) => name.startsWith("x-middleware"))).toEqual([]);
  });
});
