import { fastify, type FastifyRequest } from "fastify5";
import { expect, test } from "vitest";

import { rateLimit as limitExpress } from "../../src/express.ts";
import { rateLimit as limitFastify } from "../../src/fastify.ts";
import { rateLimit } from "../../src/hono.ts";
import {
  concurrency,
  denials,
  fixedWindow,
  type FixedWindowOptions,
  lease,
  limit,
  memoryStore,
  plans,
  type Plans,
  refundable,
  shards,
  slidingWindowCounter,
  tokenBucket,
} from "../../src/index.ts";
import { rateLimit as limitVercel } from "../../src/vercel.ts";

const bucket = { limit: 20, refill: 10, per: "1s" } as const;

test("types: a policy of limit() has no option of limiters, and one of middleware has no dimension", () => {
  const base = { limit: 20, window: "1d" } as const;
  const leased = fixedWindow({ ...base, lease: lease("1s") });
  // @ts-expect-error a lease
  void (() => limit("a", leased));
  // @ts-expect-error shards
  void (() => limit("a", slidingWindowCounter({ ...base, shards: shards(8) })));
  // @ts-expect-error what others count
  void (() => limit("a", fixedWindow({ ...base, counts: denials() })));
  // @ts-expect-error units that come back
  void (() => limit("a", tokenBucket({ ...bucket, refundable: refundable() })));
  // @ts-expect-error slots
  void (() => limit("a", concurrency({ limit: 2, ttl: "1m" })));
  const dimensioned = fixedWindow({ ...base, by: "ip" });
  // @ts-expect-error a dimension
  void (() => limit("a", dimensioned));
  // @ts-expect-error a dimension, where middleware has partition
  void (() => rateLimit({ policies: [leased, dimensioned] }));
  // @ts-expect-error the same
  void (() => limitVercel({ policies: [dimensioned] }));
  // @ts-expect-error the same
  void (() => limitExpress({ policies: [dimensioned] }));
  void (() => rateLimit({ policies: [leased, concurrency({ limit: 2, ttl: "1m" })] }));
  // Of options that are not literal, the compiler knows nothing.
  const any = (options: Partial<FixedWindowOptions>) => fixedWindow({ ...base, ...options });
  void (() => rateLimit({ policies: [any({})] }));
  void (() => limit("a", any({})));
  void (() => limit("a", fixedWindow({ ...base, name: "daily", onFailure: "open" })));
  const build = Math.random() < 0.5 ? fixedWindow : slidingWindowCounter;
  expect(build(base)).toMatchObject(base);
});

test("types: a middleware's plan is one of its plans, where these are literal", () => {
  const options = {
    policies: [tokenBucket(bucket)],
    plans: plans({ gold: {}, silver: {} }),
    store: memoryStore(),
    clientIp: "cloudflare",
  } as const;
  void (() => rateLimit({ ...options, plan: (c) => (c.req.url ? "gold" : undefined) }));
  // @ts-expect-error no plan of the middleware
  void (() => rateLimit({ ...options, plan: (c) => (c.req.url ? "golden" : undefined) }));
  void (() => limitExpress({ ...options, plan: async ({ url }) => (url ? "gold" : "silver") }));
  // @ts-expect-error no plan of the middleware
  void (() => limitExpress({ ...options, plan: async ({ url }) => (url ? "gold" : "bronze") }));
  void (() => limitVercel({ ...options, plan: () => "silver" }));
  // @ts-expect-error no plan of the middleware
  void (() => limitVercel({ ...options, plan: () => "bronze" }));
  const app = fastify();
  const plugin = limitFastify<FastifyRequest, typeof options.plans>;
  void (() => app.register(plugin, { ...options, plan: ({ id }) => (id ? "gold" : "silver") }));
  // @ts-expect-error no plan of the plugin
  void (() => app.register(plugin, { ...options, plan: ({ id }) => (id ? "gold" : "bronze") }));
  const wide: Plans = { gold: {} };
  expect(rateLimit({ ...options, plans: plans(wide), plan: () => "any" })).toBeTypeOf("function");
});
