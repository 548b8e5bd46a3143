import { type Context, Hono } from "hono";
import { every, some } from "hono/combine";
import { describe, expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { rateLimit } from "../../src/hono.ts";
import { memoryStore } from "../../src/store/memory-store.ts";

function limiter(limit: number) {
  return rateLimit({
    store: memoryStore(),
    policies: [fixedWindow({ limit, window: "1m" })],
    partition: () => "ada",
  });
}

async function statuses(app: Hono, times: number): Promise<number[]> {
  const found = [];
  for (let i = 0; i < times; i++) found.push((await app.request("/")).status);
  return found;
}

describe("in hono/combine", () => {
  test("some() does not take a denial for a branch that failed", async () => {
    const app = new Hono();
    app.use(
      some(limiter(1), async (_c, next) => {
        await next();
      }),
    );
    app.get("/", (c) => c.text("hello"));
    expect(await statuses(app, 3)).toEqual([200, 429, 429]);
  });

  test("some() asks the limiter only where nothing before it let the request pass", async () => {
    const app = new Hono();
    app.use(some((c: Context) => c.req.header("x-internal") === "1", limiter(1)));
    app.get("/", (c) => c.text("hello"));
    expect(await statuses(app, 2)).toEqual([200, 429]);
    expect((await app.request("/", { headers: { "x-internal": "1" } })).status).toBe(200);
  });

  test("every() stops at a denial, and does not ask the limiters after it", async () => {
    let reached = 0;
    const app = new Hono();
    app.use(
      every(limiter(1), async (_c, next) => {
        reached++;
        await next();
      }),
    );
    app.get("/", (c) => c.text("hello"));
    expect(await statuses(app, 3)).toEqual([200, 429, 429]);
    expect(reached).toBe(1);
  });

  test("every() of two limiters tells both", async () => {
    const app = new Hono();
    app.use(every(limiter(1), limiter(2)));
    app.get("/", (c) => c.text("hello"));
    expect((await app.request("/")).headers.get("RateLimit-Policy")).toBe(
      '"fixed-window-2-1m";q=2;w=60, "fixed-window-1-1m";q=1;w=60',
    );
  });
});
