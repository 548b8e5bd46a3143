// The worker under load: the same limiter over Redis and over Durable Objects, in the same isolate.

import { Hono } from "hono";

import type { Limiter } from "../../../src/decide/limiter-types.ts";
import { durableObjectStore, type ObjectNamespace } from "../../../src/durable-object.ts";
import { createLimiter, tokenBucket } from "../../../src/index.ts";

export { TidegateObject } from "../../../src/durable-object.ts";

interface Bindings {
  UPSTASH_REDIS_REST_URL: string;
  UPSTASH_REDIS_REST_TOKEN: string;
  LIMITS: ObjectNamespace;
}

// So large that no request is denied.
const PLENTY = 1_000_000_000;
const policies = [tokenBucket({ name: "plenty", limit: PLENTY, refill: PLENTY, per: "1h" })];
/** A machine under full load may take longer than the usual timeout. */
const timeout = "5s";

const STORES: Readonly<Record<string, (bindings: Bindings) => Limiter>> = {
  redis: ({ UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token }) =>
    createLimiter({ redis: { url, token }, timeout, policies }),
  object: ({ LIMITS }) =>
    createLimiter({ store: durableObjectStore(LIMITS, { timeout }), policies }),
};

const limiters = new Map<string, Limiter>();
let clients = 0;

const app = new Hono<{ Bindings: Bindings }>();

/** One client, or another of a thousand with each request. */
app.get("/:store/:clients", async (c) => {
  const { store, clients: many } = c.req.param();
  const limiter = limiters.get(store) ?? STORES[store]!(c.env);
  limiters.set(store, limiter);
  const client = many === "many" ? `client-${clients++ % 1_000}` : "one";
  const { reason } = await limiter.limit(client);
  return c.text("hello", reason === "allowed" ? 200 : 429);
});

export default app;
