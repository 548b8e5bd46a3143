import { type Context, Hono, type MiddlewareHandler } from "hono";
import { every, some } from "hono/combine";
import { expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { limiterOf } from "./app.ts";

const limiter = (limit: number) => limiterOf({ policies: [fixedWindow({ limit, window: "1m" })] });

/** The statuses of requests to an app that consists of one middleware. */
async function statuses(middleware: MiddlewareHandler, times: number, headers = {}) {
  const app = new Hono().use(middleware).get("/", (c) => c.text("hello"));
  const found = [];
  for (let i = 0; i < times; i++) found.push((await app.request("/", { headers })).status);
  return found;
}

test("some() does not take a denial for a branch that failed", async () => {
  const next = some(limiter(1), async (_c, next) => {
    await next();
  });
  expect(await statuses(next, 3)).toEqual([200, 429, 429]);
});

test("some() asks the limiter only where nothing before it let the request pass", async () => {
  const unlessInternal = some((c: Context) => c.req.header("x-internal") === "1", limiter(1));
  expect(await statuses(unlessInternal, 2)).toEqual([200, 429]);
  expect(await statuses(unlessInternal, 1, { "x-internal": "1" })).toEqual([200]);
});

test("every() stops at a denial, and does not ask the limiters after it", async () => {
  let reached = 0;
  const counted = every(limiter(1), async (_c, next) => {
    reached++;
    await next();
  });
  expect(await statuses(counted, 3)).toEqual([200, 429, 429]);
  expect(reached).toBe(1);
});

test("every() of two limiters tells both", async () => {
  const app = new Hono().use(every(limiter(1), limiter(2))).get("/", (c) => c.text("hello"));
  expect((await app.request("/")).headers.get("RateLimit-Policy")).toBe(
    '"fixed-window-2-1m";q=2;w=60, "fixed-window-1-1m";q=1;w=60',
  );
});
