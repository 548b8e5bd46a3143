import { Hono } from "hono";
import { describe, expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { rateLimit } from "../../src/hono.ts";
import { memoryStore } from "../../src/store/memory-store.ts";

type E = { Variables: { rateLimit?: { reason: string } } };

/** An app in which a middleware around the limiter answers with the context before and after. */
function appThatLooks(options: { onDenied?: () => Response } = {}) {
  const seen: (string | undefined)[] = [];
  let handled = 0;
  const app = new Hono<E>()
    .use(async (c, next) => {
      seen.push(c.var.rateLimit?.reason);
      await next();
      seen.push(c.var.rateLimit?.reason);
    })
    .use(
      rateLimit<E>({
        store: memoryStore(),
        policies: [fixedWindow({ limit: 1, window: "30d" })],
        partition: () => "ada",
        ...options,
      }),
    )
    .get("/", (c) => {
      handled++;
      return c.text("hello");
    });
  return { app, seen, handled: () => handled };
}

describe("the decision on the context", () => {
  test.each([
    ["with the limiter's own answer", {}],
    ["with onDenied's", { onDenied: () => new Response("no", { status: 420 }) }],
  ])("is there for the middleware around it, of a denied request, too: %s", async (_, options) => {
    const { app, seen, handled } = appThatLooks(options);
    await app.request("/");
    const denied = await app.request("/");
    expect(denied.ok).toBe(false);
    expect(seen).toEqual([undefined, "allowed", undefined, "cached-denial"]);
    expect(handled()).toBe(1);
  });

  test("is none where the request has no identity and is refused", async () => {
    const seen: unknown[] = [];
    const app = new Hono<E>()
      .use(async (c, next) => {
        await next();
        seen.push(c.var.rateLimit);
      })
      .use(
        rateLimit<E>({
          store: memoryStore(),
          policies: [fixedWindow({ limit: 1, window: "30d" })],
          partition: () => undefined,
          onMissing: "reject",
        }),
      );
    expect((await app.request("/")).status).toBe(400);
    expect(seen).toEqual([undefined]);
  });
});
