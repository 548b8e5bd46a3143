import fc from "fast-check";
import { Hono } from "hono";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { createGateway } from "../../src/gateway/gateway.ts";
import { rateLimit as honoRateLimit } from "../../src/hono.ts";
import {
  ConfigurationError,
  createLimiter,
  limit,
  memoryStore,
  shareDenials,
  type Store,
} from "../../src/index.ts";
import { fromData } from "../../src/policy/from-data.ts";
import { rateLimit as vercelRateLimit } from "../../src/vercel.ts";
import { applyChanges, changesOf } from "../support/fuzz/change.ts";
import { fuzz } from "../support/fuzz/fuzz.ts";
import { Trap } from "../support/fuzz/made.ts";

beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.stubGlobal("fetch", async () => new Response("not a Redis"));
  vi.stubEnv("KV_REST_API_URL", "https://redis.example");
  vi.stubEnv("KV_REST_API_TOKEN", SECRET);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

const SECRET = "AX-very-secret";

const policies = () => [
  { algorithm: "token-bucket", name: "a", limit: 5, refill: 5, per: "1m" },
  { algorithm: "sliding-window-log", name: "b", limit: 5, window: "1m" },
  {
    algorithm: "sliding-window-counter",
    limit: 5,
    window: "1m",
    onFailure: "open",
    advertise: false,
  },
  { algorithm: "segmented-window", limit: 5, window: "1m", segments: 6, retryJitter: 0.5 },
  { algorithm: "fixed-window", name: "e", limit: 5, window: "1m" },
];

const limiterOptions = (memory = false) => ({
  policies: policies().map(fromData),
  ...(memory
    ? // Inherits: what it is made of is not for anybody to change.
      { store: Object.create(memoryStore()) as Store }
    : { redis: { url: "https://redis.example", token: SECRET } }),
  prefix: "p",
  timeout: "1s",
  onFailure: { local: { share: 0.5 } },
  retryJitter: 0.1,
  denialCache: { maxEntries: 10 },
  ...(!memory && { sharedDenials: shareDenials({ get: async () => undefined, put: () => {} }) }),
  headers: { "draft-11": true, "x-ratelimit": false },
  onStoreError: () => {},
});

const requestOptions = (memory = false) => ({
  ...limiterOptions(memory),
  partition: ["header:x-api-key", "ip"],
  clientIp: { trustedHops: 1 },
  onMissing: "share",
  cost: 2,
});

const variables = () => ({
  ORIGIN: "https://origin.example",
  STORE: "redis",
  UPSTASH_REDIS_REST_URL: "https://redis.example",
  UPSTASH_REDIS_REST_TOKEN: SECRET,
  PREFIX: "p",
  TIMEOUT: "1s",
  ON_FAILURE: { local: { share: 0.5 } },
  CLIENT_IP: { trustedHops: 1 },
  RULES: [
    {
      method: ["GET", "POST"],
      path: "/a/:id",
      policies: policies(),
      partition: ["ip"],
      cost: 1,
      retryJitter: 1,
    },
    { method: "*", path: "/*", policies: [{ ...policies()[0], name: "z" }], onMissing: "reject" },
  ],
});

/** Makes something of a configuration and uses it, or is told all that is wrong with it. */
async function settles<Made>(
  make: () => Made,
  use: (made: Made) => Promise<unknown> | undefined,
): Promise<void> {
  const before = performance.now();
  try {
    let made: Made;
    try {
      made = make();
    } finally {
      expect(performance.now() - before).toBeLessThan(2_000);
    }
    await use(made);
  } catch (error) {
    if (error instanceof Trap) return;
    if (!(error instanceof ConfigurationError)) throw error;
    expect(error.faults.length).toBeGreaterThan(0);
    for (const { path, value, remedy } of error.faults) {
      for (const part of [path, value, remedy]) expect(part).toMatch(/\S/);
      expect(error.message).toContain(`\n  ${path}: ${value}: ${remedy}`);
    }
    expect(error.message).not.toContain(SECRET);
  }
}

function rethrow(error: Error): never {
  throw error;
}

test.for([false, true])("what changes are made to is sound, memory %s", (memory) => {
  createLimiter(limiterOptions(memory) as never);
  honoRateLimit(requestOptions(memory) as never);
  vercelRateLimit(requestOptions(memory) as never);
  createGateway(variables() as never);
});

const request = () => new Request("https://worker.example/a/1");

fuzz("createLimiter() decides with what it takes and says what it does not", 1_500, () =>
  fc.asyncProperty(
    changesOf(limiterOptions(), limiterOptions(true)),
    fc.boolean(),
    (changes, memory) => {
      const options = applyChanges(limiterOptions(memory), changes);
      return settles(
        () => createLimiter(options as never),
        async (limiter) => {
          const decision = await limiter.limit("somebody");
          await decision.response().text();
        },
      );
    },
  ),
);

fuzz("limit() decides with what it takes and says what it does not", 1_500, () =>
  fc.asyncProperty(changesOf(...policies()), fc.nat(4), (changes, which) => {
    const policy = applyChanges(fromData(policies()[which]) as object, changes);
    return settles(
      () => limit("somebody", policy as never),
      (decision) => decision,
    );
  }),
);

fuzz("Hono's rateLimit() answers with what it takes and says what it does not", 1_500, () =>
  fc.asyncProperty(
    changesOf(requestOptions(), requestOptions(true)),
    fc.boolean(),
    (changes, memory) => {
      const options = applyChanges(requestOptions(memory), changes);
      return settles(
        () => honoRateLimit(options as never),
        async (middleware) => {
          const app = new Hono().use(middleware).get("*", (c) => c.text("reached"));
          await app.onError(rethrow).request(request());
        },
      );
    },
  ),
);

fuzz("Vercel's rateLimit() answers with what it takes and says what it does not", 1_500, () =>
  fc.asyncProperty(
    changesOf(requestOptions(), requestOptions(true)),
    fc.boolean(),
    (changes, memory) => {
      const options = applyChanges(requestOptions(memory), changes);
      return settles(
        () => vercelRateLimit(options as never),
        (middleware) => middleware(request()),
      );
    },
  ),
);

fuzz("createGateway() answers with what it takes and says what it does not", 1_500, () =>
  fc.asyncProperty(changesOf(variables()), (changes) => {
    const environment = applyChanges(variables(), changes);
    return settles(
      () => createGateway(environment as never),
      (gateway) => gateway.onError(rethrow).request(request()) as Promise<Response>,
    );
  }),
);
