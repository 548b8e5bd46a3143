import { Hono } from "hono";
import { describe, expect, expectTypeOf, inject, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import type { Decision } from "../../src/decide/decision.ts";
import type { Hold } from "../../src/decide/hold.ts";
import { rateLimit, type RateLimitOptions } from "../../src/hono.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import { appOf } from "./app.ts";

const policies = [tokenBucket({ name: "burst", limit: 2, refill: 1, per: "1s" })];

/** A bucket on a clock that stands still. */
const burstApp = (options: Partial<RateLimitOptions> = {}) =>
  appOf({ store: openMemoryStore({ now: () => 1_800_000_000e6 }), policies, ...options });

describe("rateLimit()", () => {
  test("lets requests pass with the decision's fields, then answers 429 until there is room again", async () => {
    let seconds = 1_800_000_000;
    const store = openMemoryStore({ now: () => seconds * 1e6 });
    const app = burstApp({ store, denialCache: false });

    const first = await app.request("/");
    expect([first.status, await first.text()]).toEqual([200, "hello"]);
    expect(first.headers.get("RateLimit")).toBe('"burst";r=1;t=1');
    expect(first.headers.get("RateLimit-Policy")).toBe('"burst";q=2;w=2');
    expect(first.headers.has("Retry-After")).toBe(false);

    expect((await app.request("/")).headers.get("RateLimit")).toBe('"burst";r=0;t=2');

    const denied = await app.request("/");
    expect(denied.status).toBe(429);
    expect(denied.headers.get("Content-Type")).toBe("application/problem+json");
    expect(denied.headers.get("Retry-After")).toBe("1");
    expect(await denied.json()).toMatchObject({ status: 429, "violated-policies": ["burst"] });

    seconds += 1;
    expect((await app.request("/")).status).toBe(200);
    expect((await app.request("/")).status).toBe(429);
  });

  test("its functions read the variables of the app's own middleware, also without a type argument", async () => {
    const app = new Hono<{ Variables: { userId: string } }>()
      .use(async (c, next) => {
        c.set("userId", c.req.header("x-user") ?? "nobody");
        await next();
      })
      .use(rateLimit({ store: openMemoryStore(), policies, partition: (c) => c.get("userId") }))
      .get("/", (c) => {
        expectTypeOf(c.var.userId).toEqualTypeOf<string>();
        expectTypeOf(c.var.rateLimit).toEqualTypeOf<Decision | Hold>();
        return c.text(c.var.userId);
      });
    const ask = (user: string) => app.request("/", { headers: { "x-user": user } });
    for (let i = 0; i < 2; i++) expect((await ask("ada")).status).toBe(200);
    expect((await ask("ada")).status).toBe(429);
    expect(await (await ask("bob")).text()).toBe("bob");
    type Typed = { Variables: { userId: string } };
    // @ts-expect-error a variable that the given environment has not
    rateLimit<Typed>({ store: openMemoryStore(), policies, partition: (c) => c.get("userID") });
  });

  test("leaves the decision on c.var.rateLimit, typed", async () => {
    const store = openMemoryStore({ now: () => 1_800_000_000e6 });
    const app = new Hono()
      .use(rateLimit({ store, policies, partition: () => "ada" }))
      .get("/", (c) => {
        expectTypeOf(c.var.rateLimit).toEqualTypeOf<Decision | Hold>();
        return c.json(c.var.rateLimit);
      });
    expect(await (await app.request("/")).json()).toEqual({
      allowed: true,
      reason: "allowed",
      status: 200,
      retryAfterMs: 0,
      policies: [
        {
          name: "burst",
          limit: 2,
          window: 2,
          remaining: 1,
          retryAfterMs: 0,
          resetAfterMs: 1000,
          allowed: true,
        },
      ],
    });
  });

  test("decides on a real Redis, and knows from its answer that the next request is denied", async () => {
    const user = crypto.randomUUID();
    const app = appOf({
      store: undefined as never,
      redis: { url: inject("redisRestUrl"), token: inject("redisRestToken") },
      partition: () => user,
    });
    const answers = [];
    for (let i = 0; i < 3; i++) {
      const { status, headers } = await app.request("/");
      answers.push([status, headers.get("X-RateLimit-Reason")]);
    }
    expect(answers).toEqual([
      [200, null],
      [429, "cached-denial"],
      [429, "cached-denial"],
    ]);
  });

  test("lets onDenied answer, with the context and the decision at hand", async () => {
    const app = burstApp({
      cost: () => 3,
      onDenied: (c, decision) =>
        c.text(`${decision.reason} ${c.req.path}`, 420 as never, { "X-Own": "1" }),
    });
    const denied = await app.request("/");
    expect([denied.status, await denied.text()]).toEqual([420, "cost-exceeds-limit /"]);
    expect(denied.headers.get("X-Own")).toBe("1");
  });

  test.each<[what: string, onDenied: () => unknown, status: number]>([
    ["a response", () => new Response("slow down", { status: 420 }), 420],
    ["a response later", async () => new Response("slow down", { status: 420 }), 420],
    ["a response whose fields cannot be changed", () => Response.redirect("http://a.example"), 302],
    ["nothing", () => undefined, 429],
    ["nothing later", async () => undefined, 429],
  ])("adds the decision's fields where onDenied answers with %s", async (_, onDenied, status) => {
    const app = burstApp({ onDenied: onDenied as never });
    await app.request("/");
    await app.request("/");
    const denied = await app.request("/");
    expect(denied.status).toBe(status);
    expect(Object.fromEntries(denied.headers)).toMatchObject({
      "retry-after": "1",
      ratelimit: '"burst";r=0;t=1',
      "ratelimit-policy": '"burst";q=2;w=2',
      "x-ratelimit-limit": "2",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": expect.stringMatching(/^\d+$/),
      "x-ratelimit-reason": expect.stringMatching(/^(limited|cached-denial)$/),
    });
  });

  test("leaves the fields that onDenied set as they are, and says none twice", async () => {
    const app = burstApp({
      partition: (c) => c.req.query("own"),
      onDenied: (c, decision) => {
        if (c.req.query("own") === "some") {
          return c.text("later", 503, { "Retry-After": "60", "X-RateLimit-Limit": "7" });
        }
        return new Response("all", { status: 420, headers: decision.headers() });
      },
    });
    for (const own of ["some", "all"]) {
      const ask = () => app.request(`/?own=${own}`);
      await ask();
      await ask();
      const { headers } = await ask();
      expect(headers.get("RateLimit")).toBe('"burst";r=0;t=1');
      expect(headers.get("RateLimit-Policy")).toBe('"burst";q=2;w=2');
      expect(headers.get("Retry-After")).toBe(own === "some" ? "60" : "1");
      // Of the three that belong together, all are his or all are ours.
      expect(headers.get("X-RateLimit-Limit")).toBe(own === "some" ? "7" : "2");
      expect(headers.get("X-RateLimit-Remaining")).toBe(own === "some" ? null : "0");
    }
  });

  test("takes the cost that a function says, and none where it says 0", async () => {
    const app = appOf({
      policies: [fixedWindow({ name: "units", limit: 10, window: "1h" })],
      cost: async (c) => Number(c.req.query("cost")),
    });
    const left = async (cost: number) =>
      (await app.request(`/?cost=${cost}`)).headers.get("X-RateLimit-Remaining");
    expect([await left(4), await left(0), await left(5), await left(2), await left(1)]).toEqual([
      "6",
      "6",
      "1",
      "1",
      "0",
    ]);
  });

  test("counts HEAD and OPTIONS as requests", async () => {
    const app = burstApp().options("/", (c) => c.body(null, 204));

    const head = await app.request("/", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(head.headers.get("RateLimit")).toBe('"burst";r=1;t=1');
    const options = await app.request("/", { method: "OPTIONS" });
    expect([options.status, options.headers.get("RateLimit")]).toEqual([204, '"burst";r=0;t=2']);
    const denied = await app.request("/", { method: "HEAD" });
    expect([denied.status, await denied.text()]).toEqual([429, ""]);
    expect(denied.headers.get("Retry-After")).toBe("1");
  });

  test("keeps partitions apart, whether a function says them at once or later", async () => {
    const app = burstApp({ partition: async (c) => c.req.header("x-tenant") });
    const of = async (tenant: string) =>
      (await app.request("/", { headers: { "x-tenant": tenant } })).status;
    expect([await of("a"), await of("a"), await of("a"), await of("b")]).toEqual([
      200, 200, 429, 200,
    ]);
  });
});
