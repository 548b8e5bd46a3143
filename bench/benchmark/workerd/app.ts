// The worker under load: for each comparison a path for Tidegate and one for its peer, in the same isolate.

import { Ratelimit } from "@upstash/ratelimit";
import { Redis } from "@upstash/redis/cloudflare";
import { Hono } from "hono";

import { rateLimit } from "../../../src/hono.ts";
import {
  createLimiter,
  type CreateLimiterOptions,
  lease,
  type Limiter,
  tokenBucket,
} from "../../../src/index.ts";

interface Bindings {
  UPSTASH_REDIS_REST_URL: string;
  UPSTASH_REDIS_REST_TOKEN: string;
}

/** Header fields as an object, because workerd takes twice as long for pairs: nothing slower is compared with. */
interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

// So large that no request is denied.
const PLENTY = 1_000_000_000;

const app = new Hono<{ Bindings: Bindings }>();

app.use(
  "/denied/tidegate",
  rateLimit({ policies: [tokenBucket({ limit: 1, refill: 1, per: "1d" })] }),
);
app.get("/denied/tidegate", (c) => c.text("hello"));

let answer: Answer | undefined;
app.put("/denied/bare", async (c) => {
  answer = await c.req.json<Answer>();
  return c.text("known");
});
app.get("/denied/bare", () => {
  const { body, ...init } = answer!;
  return new Response(body, init);
});

// A machine under full load may take longer than the usual timeout; the peer waits for 5 s.
function open(bindings: Bindings, options: Partial<CreateLimiterOptions> = {}): Limiter {
  return createLimiter({
    redis: { url: bindings.UPSTASH_REDIS_REST_URL, token: bindings.UPSTASH_REDIS_REST_TOKEN },
    policies: [tokenBucket({ name: "plenty", limit: PLENTY, refill: PLENTY, per: "1h" })],
    timeout: "5s",
    ...options,
  });
}

let limiter: Limiter | undefined;
app.get("/allowed/tidegate", async (c) => {
  limiter ??= open(c.env);
  const user = c.req.header("x-user-id") ?? "anonymous";
  const { reason } = await limiter.limit(user);
  return c.text("hello", reason === "allowed" ? 200 : 429);
});

let leasing: Limiter | undefined;
app.get("/leased/tidegate", async (c) => {
  leasing ??= open(c.env, { lease: lease("100ms"), prefix: "leased" });
  const user = c.req.header("x-user-id") ?? "anonymous";
  const { reason } = await leasing.limit(user);
  return c.text("hello", reason === "allowed" ? 200 : 429);
});
app.get("/leased/bare", (c) => c.text("hello"));

let ratelimit: Ratelimit | undefined;
app.get("/allowed/upstash", async (c) => {
  ratelimit ??= new Ratelimit({
    redis: Redis.fromEnv(c.env),
    limiter: Ratelimit.tokenBucket(PLENTY, "1 h", PLENTY),
  });
  const user = c.req.header("x-user-id") ?? "anonymous";
  const { success, reason } = await ratelimit.limit(user);
  return c.text("hello", success && reason === undefined ? 200 : 429);
});

export default app;
