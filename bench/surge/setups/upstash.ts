// The peer's worker: its limiter in front of the API, as its documentation has it.

import { Ratelimit } from "@upstash/ratelimit";
import { Redis } from "@upstash/redis/cloudflare";
import { Hono } from "hono";

interface Bindings {
  readonly ORIGIN: string;
  readonly ALGORITHM: "token-bucket" | "sliding-window";
  readonly UPSTASH_REDIS_REST_URL: string;
  readonly UPSTASH_REDIS_REST_TOKEN: string;
}

/** The incident's bucket, and the window that has its burst and its rate. */
const ALGORITHMS = {
  "token-bucket": () => Ratelimit.tokenBucket(10, "1 s", 20),
  "sliding-window": () => Ratelimit.slidingWindow(20, "2 s"),
};

/** One for each endpoint, so that each counts by itself. */
const limiters = new Map<string, Ratelimit>();
const app = new Hono<{ Bindings: Bindings }>();

app.all("/api/*", async (c) => {
  const { path } = c.req;
  const limiter =
    limiters.get(path) ??
    new Ratelimit({
      redis: Redis.fromEnv(c.env),
      limiter: ALGORITHMS[c.env.ALGORITHM](),
      prefix: path,
    });
  limiters.set(path, limiter);
  const { success, reset, reason } = await limiter.limit(c.req.header("x-user-id") ?? "anonymous");
  if (!success) {
    const seconds = Math.max(1, Math.ceil((reset - Date.now()) / 1000));
    return c.text("Too many requests", 429, { "Retry-After": String(seconds) });
  }
  const response = await fetch(new URL(path, c.env.ORIGIN), c.req.raw);
  if (reason !== "timeout") return response;
  // It lets requests through where Redis takes too long: said as the gateway says it.
  const told = new Response(response.body, response);
  told.headers.set("X-RateLimit-Reason", "store-unavailable");
  return told;
});

// As Hono does it, without a line in the log for each request of an outage.
app.onError((_, c) => c.text("Internal Server Error", 500));

export default app;
