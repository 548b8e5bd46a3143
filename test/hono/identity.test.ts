import { Hono } from "hono";
import { describe, expect, test } from "vitest";

import type { RequestOptions } from "../../src/adapter/request-options.ts";
import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { rateLimit } from "../../src/hono.ts";
import { memoryStore } from "../../src/store/memory-store.ts";

type Options = Pick<RequestOptions<never>, "onMissing"> & {
  partition?: () => unknown;
};

function appOf({ partition, ...options }: Options) {
  return new Hono()
    .use(
      rateLimit({
        store: memoryStore(),
        policies: [fixedWindow({ limit: 1, window: "1h" })],
        clientIp: "cloudflare",
        ...(partition && { partition: partition as () => string }),
        ...options,
      }),
    )
    .get("/", (c) => c.text("hello"));
}

describe("a request without identity", () => {
  test.each([undefined, null, ""])(
    "shares one bucket with all others like it, when a function says %j",
    async (nobody) => {
      const app = appOf({ partition: () => nobody });
      expect((await app.request("/")).status).toBe(200);
      expect((await app.request("/")).status).toBe(429);
    },
  );

  test("shares it also when no source has an identity, and shares it with no other client", async () => {
    const app = appOf({});
    const from = async (address?: string) =>
      (await app.request("/", address ? { headers: { "cf-connecting-ip": address } } : {})).status;
    expect([await from(), await from(), await from("unknown"), await from("192.0.2.1")]).toEqual([
      200, 429, 429, 200,
    ]);
  });

  test.each([undefined, null, ""])("is refused where that is asked for: %j", async (nobody) => {
    const app = appOf({ partition: () => nobody, onMissing: "reject" });
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
  });

  test("is never let through: an identity that is no text is an error", async () => {
    const app = appOf({ partition: () => 42 });
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
  const app = new Hono()
    .use(
      rateLimit({
        store: memoryStore(),
        policies: [fixedWindow({ limit: 3, window: "1h" })],
        partition: ["header:authorization"],
      }),
    )
    .get("/", (c) => c.text("hello"));
  const statuses = [];
  for (let i = 0; i < 100; i++) {
    const scheme = i % 2 === 0 ? "Bearer" : "bearer";
    const authorization = `${scheme}${" ".repeat(1 + (i >> 1))}abc`;
    statuses.push((await app.request("/", { headers: { authorization } })).status);
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(3);
});
