import { Hono } from "hono";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { rateLimit, type RateLimitOptions } from "../../src/hono.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";

/** An app behind the limiter. Everybody is Ada and has one request an hour, unless the options say otherwise. */
export const appOf = (options: Partial<RateLimitOptions> = {}) =>
  new Hono().use(limiterOf(options)).get("/", (c) => c.text("hello"));

export const limiterOf = (options: Partial<RateLimitOptions> = {}) =>
  rateLimit({
    store: openMemoryStore(),
    policies: [fixedWindow({ limit: 1, window: "1h" })],
    partition: () => "ada",
    ...options,
  });
