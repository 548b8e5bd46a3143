import fc from "fast-check";
import { Hono } from "hono";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { createGateway } from "../../src/gateway/gateway.ts";
import { rateLimit as honoRateLimit } from "../../src/hono.ts";
import {
  ConfigurationError,
  cookie,
  createLimiter,
  denials,
  header,
  limit,
  memoryStore,
  plans,
  shadow,
  shareDenials,
  soft,
  type Store,
  subnet,
  TidegateError,
} from "../../src/index.ts";
import { fromData } from "../../src/policy/from-data.ts";
import type { CountingAlgorithm } from "../../src/policy/policy.ts";
import { rateLimit as vercelRateLimit } from "../../src/vercel.ts";
import { EVERY_ALGORITHM } from "../support/algorithms/all.ts";
import { applyChanges, changesOf } from "./change.ts";
import { fuzz } from "./fuzz.ts";
import { Trap } from "./made.ts";

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

const PLANS = () => ({ gold: { a: { limit: 50, refill: 50 }, b: { limit: 9, window: "2m" } } });

/** As rules take them. */
const partitioned = () => [
  { ...policies()[0], partition: ["header:x-api-key"] },
  { ...policies()[1], partition: [["ip", "cookie:sid"], "subnet"], mode: "soft" },
  { ...policies()[4], partition: "*", mode: "shadow", onMissing: "reject" },
  { ...policies()[3], counts: "denials", onMissing: "skip" },
];

/** As middleware takes them. */
const partitionedByValues = () => [
  { ...policies()[0], partition: [header("x-api-key")] },
  soft({ ...policies()[1], partition: [["ip", cookie("sid")], subnet()] } as never),
  shadow({ ...policies()[4], partition: "*", onMissing: "reject" } as never),
  { ...policies()[3], counts: denials(), onMissing: "skip" },
];

/** As a limiter takes them. */
const dimensions = () => [
  { ...policies()[0], by: "ip" },
  soft({ ...policies()[1], by: "*" } as never),
  { ...policies()[4], by: "key", counts: denials() },
];

/** Options besides the numbers. */
const MORE: Partial<Record<CountingAlgorithm, object>> = {
  "token-bucket": { name: "a" },
  "sliding-window-log": { name: "b" },
  "sliding-window-counter": { onFailure: "open", advertise: false },
  "segmented-window": { retryJitter: 0.5 },
  "fixed-window": { name: "e" },
};

/** One of each algorithm, as data. */
const policies = () =>
  EVERY_ALGORITHM.map(
    ({ algorithm, of }) =>
      JSON.parse(JSON.stringify({ ...of(5, "1m", 6), ...MORE[algorithm] })) as object,
  );

const limiterOptions = (memory = false) => ({
  policies: policies().map(fromData),
  ...(memory
    ? // Inherits: callers cannot change its parts.
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
  partition: [header("x-api-key"), "ip"],
  clientIp: { trustedHops: 1 },
  onMissing: "share",
  cost: 2,
});

const dimensionOptions = () => ({
  ...limiterOptions(true),
  policies: dimensions().map(fromData),
  plans: plans(PLANS()),
});

const partitionedOptions = () => ({
  ...requestOptions(true),
  policies: partitionedByValues().map(fromData),
  plans: plans(PLANS()),
  plan: "header:x-plan",
  cost: { a: 2, b: 1 },
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
    {
      path: "/a/*",
      policies: partitioned().map((policy, i) => Object.assign(policy, { name: `p${i}` })),
      cost: { p0: 2 },
      plan: "header:x-plan",
    },
  ],
  PLANS: { gold: { p0: { limit: 9 }, z: { refill: 2 } } },
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

test.for([false, true])("the configurations before any change are sound, memory %s", (memory) => {
  expect(() => {
    createLimiter(limiterOptions(memory) as never);
    honoRateLimit(requestOptions(memory) as never);
    vercelRateLimit(requestOptions(memory) as never);
    createGateway(variables() as never);
    createLimiter(dimensionOptions() as never);
    honoRateLimit(partitionedOptions() as never);
    vercelRateLimit(partitionedOptions() as never);
  }).not.toThrow();
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

fuzz("createLimiter() with dimensions and plans decides with what it takes", 1_500, () =>
  fc.asyncProperty(changesOf(dimensionOptions()), (changes) => {
    const options = applyChanges(dimensionOptions(), changes);
    return settles(
      () => createLimiter(options as never),
      async (limiter) => {
        for (const plan of [undefined, "gold"]) {
          try {
            await limiter.limit({ ip: "192.0.2.1", key: "k" }, { plan });
          } catch (error) {
            // The removed part may be the one that this request asks for.
            if (!(error instanceof TidegateError)) throw error;
          }
        }
      },
    );
  }),
);

/** Middleware of Hono, or of Vercel, with these options answers a request, or says what is wrong with them. */
function answers(options: unknown, vercel: boolean): Promise<void> {
  if (vercel) {
    return settles(
      () => vercelRateLimit(options as never),
      (middleware) => middleware(request()),
    );
  }
  return settles(
    () => honoRateLimit(options as never),
    async (middleware) => {
      const app = new Hono().use(middleware).get("*", (c) => c.text("reached"));
      await app.onError(rethrow).request(request());
    },
  );
}

fuzz("middleware with partitions and plans answers with what it takes", 1_500, () =>
  fc.asyncProperty(changesOf(partitionedOptions()), fc.boolean(), (changes, vercel) =>
    answers(applyChanges(partitionedOptions(), changes), vercel),
  ),
);

fuzz("limit() decides with what it takes and says what it does not", 1_500, () =>
  fc.asyncProperty(changesOf(...policies()), fc.nat(policies().length - 1), (changes, which) => {
    const policy = applyChanges(fromData(policies()[which]) as object, changes);
    return settles(
      () => limit("somebody", policy as never),
      (decision) => decision,
    );
  }),
);

for (const [name, vercel] of [
  ["Hono", false],
  ["Vercel", true],
] as const) {
  fuzz(`${name}'s rateLimit() answers with what it takes and says what it does not`, 1_500, () =>
    fc.asyncProperty(
      changesOf(requestOptions(), requestOptions(true)),
      fc.boolean(),
      (changes, memory) => answers(applyChanges(requestOptions(memory), changes), vercel),
    ),
  );
}

fuzz("createGateway() answers with what it takes and says what it does not", 1_500, () =>
  fc.asyncProperty(changesOf(variables()), (changes) => {
    const environment = applyChanges(variables(), changes);
    return settles(
      () => createGateway(environment as never),
      (gateway) => gateway.onError(rethrow).request(request()) as Promise<Response>,
    );
  }),
);
