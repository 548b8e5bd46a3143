import { Hono } from "hono";
import { rateLimiter } from "hono-rate-limiter";
import { expect, test } from "vitest";

import { rateLimitBinding } from "../../src/cloudflare.ts";
import { createLimiter, fixedWindow, memoryStore } from "../../src/index.ts";

test("a limiter in the shape of Cloudflare's binding limits in hono-rate-limiter", async () => {
  const binding = rateLimitBinding(
    createLimiter({ store: memoryStore(), policies: [fixedWindow({ limit: 2, window: "1h" })] }),
  );
  const app = new Hono();
  app.use(rateLimiter({ binding, keyGenerator: (c) => c.req.header("x-user") ?? "anonymous" }));
  app.get("/", (c) => c.text("hello"));
  const statuses = [];
  for (const user of ["ada", "ada", "ada", "bob"]) {
    statuses.push((await app.request("/", { headers: { "x-user": user } })).status);
  }
  expect(statuses).toEqual([200, 200, 429, 200]);
  await expect(binding.limit({ key: "" })).rejects.toThrow("identity");
});
