import { Hono } from "hono";
import { describe, expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { header } from "../../src/index.ts";
import { appOf, limiterOf } from "./app.ts";

describe("a request without identity", () => {
  test("shares one bucket with all others like it, and with no other client", async () => {
    const app = appOf({ clientIp: "cloudflare", partition: ["ip"] });
    const from = async (address?: string) =>
      (await app.request("/", address ? { headers: { "cf-connecting-ip": address } } : {})).status;
    expect([await from(), await from(), await from("unknown"), await from("192.0.2.1")]).toEqual([
      200, 429, 429, 200,
    ]);
  });

  test.each([undefined, null, ""])("is refused where that is asked for: %j", async (nobody) => {
    const seen: unknown[] = [];
    const app = new Hono()
      .use(async (c, next) => {
        await next();
        seen.push(c.get("rateLimit" as never));
      })
      .use(limiterOf({ partition: () => nobody as never, onMissing: "reject" }));
    const refused = await app.request("/");
    expect(refused.status).toBe(400);
    expect(refused.headers.get("Content-Type")).toBe("application/problem+json");
    expect(refused.headers.get("Cache-Control")).toBe("no-store");
    expect(refused.headers.has("RateLimit")).toBe(false);
    expect(await refused.json()).toEqual({
      type: "about:blank",
      title: "Bad Request",
      status: 400,
      detail: "The request does not say whose quota it is to use.",
    });
    expect(seen).toEqual([undefined]);
  });

  test("is never let through: an identity that is no text is an error", async () => {
    const app = appOf({ partition: () => 42 as never });
    app.onError((error, c) => c.json({ ...error }, 500));
    const answer = await app.request("/");
    expect([answer.status, await answer.json()]).toEqual([
      500,
      { name: "TidegateError", code: "ERR_IDENTITY" },
    ]);
  });

  test("is never let through: a partition function that fails is an error", async () => {
    const app = appOf({
      partition: () => {
        throw new Error("no session store");
      },
    });
    app.onError((error, c) => c.text(error.message, 500));
    expect(await (await app.request("/")).text()).toBe("no session store");
  });
});

test("a client that spells its token in a hundred ways has one quota", async () => {
  const app = appOf({
    policies: [fixedWindow({ limit: 3, window: "1h" })],
    partition: [header("authorization")],
  });
  const statuses = [];
  for (let i = 0; i < 100; i++) {
    const scheme = i % 2 === 0 ? "Bearer" : "bearer";
    const authorization = `${scheme}${" ".repeat(1 + (i >> 1))}abc`;
    statuses.push((await app.request("/", { headers: { authorization } })).status);
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(3);
});

test.each([
  ["with the limiter's own answer", {}],
  ["with onDenied's", { onDenied: () => new Response("no", { status: 420 }) }],
])(
  "the decision is there for a middleware around, of a denied request, too: %s",
  async (_, options) => {
    const seen: (string | undefined)[] = [];
    let handled = 0;
    const app = new Hono<{ Variables: { rateLimit?: { reason: string } } }>();
    app.use(async (c, next) => {
      seen.push(c.var.rateLimit?.reason);
      await next();
      seen.push(c.var.rateLimit?.reason);
    });
    app.use(limiterOf(options) as never).get("/", (c) => c.text(String(++handled)));
    await app.request("/");
    expect((await app.request("/")).ok).toBe(false);
    expect(seen).toEqual([undefined, "allowed", undefined, "cached-denial"]);
    expect(handled).toBe(1);
  },
);
