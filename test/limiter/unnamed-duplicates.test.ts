import { Hono } from "hono";
import { afterEach, beforeEach, expect, inject, type MockInstance, test, vi } from "vitest";

import { createGateway } from "../../src/gateway/gateway.ts";
import { rateLimit } from "../../src/hono.ts";
import { rateLimit as vercelRateLimit } from "../../src/vercel.ts";
import {
  createLimiter,
  fixedWindow,
  type LimiterOptions,
  memoryStore,
  slidingWindowLog,
} from "../support/limiter/plain.ts";

let warn: MockInstance<typeof console.warn>;
beforeEach(() => {
  warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.stubEnv("UPSTASH_REDIS_REST_URL", inject("redisRestUrl"));
  vi.stubEnv("UPSTASH_REDIS_REST_TOKEN", inject("redisRestToken"));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** A prefix of its own: a report is made once per prefix. */
const prefix = () => `t${crypto.randomUUID()}`;
const window = () => fixedWindow({ limit: 1, window: "1d" });
const said = () => warn.mock.calls.map(([message]) => String(message));

test("two limiters with equal policies that have no name count together, and that is reported once", async () => {
  const options = {
    prefix: prefix(),
    policies: [window(), slidingWindowLog({ limit: 1, window: "1d" })],
  };
  const one = createLimiter(options);
  expect(said()).toEqual([]);
  const other = createLimiter({ ...options, policies: [window()] });
  expect([(await one.limit("ada")).allowed, (await other.limit("ada")).allowed]).toEqual([
    true,
    false,
  ]);
  createLimiter(options);
  for (let i = 0; i < 50; i++) createLimiter({ ...options, policies: [window()] });
  expect(said().sort()).toEqual([
    expect.stringMatching(
      /^tidegate: Two limiters have a policy fixed-window-1-1d without a name, so they count together\. Give each policy a `name`/,
    ),
    expect.stringMatching(/^tidegate: Two limiters have a policy sliding-window-log-1-1d /),
  ]);
});

test("so it is for middleware of two routes, whose Redis comes with the first request", async () => {
  const options = { prefix: prefix(), policies: [window()], partition: () => "ada" };
  const app = new Hono()
    .use("/a", rateLimit(options))
    .use("/b", rateLimit(options))
    .get("*", (c) => c.text("hello"));
  const env = {
    UPSTASH_REDIS_REST_URL: inject("redisRestUrl"),
    UPSTASH_REDIS_REST_TOKEN: inject("redisRestToken"),
  };
  expect((await app.request("/a", {}, env)).status).toBe(200);
  expect((await app.request("/b", {}, env)).status).toBe(429);
  expect(said()).toEqual([expect.stringContaining("count together")]);
});

test("so it is for middleware of two matchers on Vercel", () => {
  const options = { prefix: prefix(), policies: [window()] };
  for (const _ of [1, 2]) vercelRateLimit(options);
  expect(said()).toEqual([expect.stringContaining("count together")]);
});

test.for<[what: string, one: Partial<LimiterOptions>, other: Partial<LimiterOptions>]>([
  [
    "have names",
    { policies: [fixedWindow({ name: "a", limit: 1, window: "1d" })] },
    { policies: [fixedWindow({ name: "a", limit: 1, window: "1d" })] },
  ],
  ["differ in their numbers", {}, { policies: [fixedWindow({ limit: 2, window: "1d" })] }],
  [
    "differ in their prefix",
    {},
    {
      // Another one at a second try, too.
      get prefix() {
        return prefix();
      },
    },
  ],
  ["count in other memories", { store: memoryStore() }, { store: memoryStore() }],
  [
    "count in another Redis",
    { redis: { url: "https://a.example", token: "t" } },
    { redis: { url: "https://b.example", token: "t" } },
  ],
])("nothing is reported where they %s", ([, one, other]) => {
  const common = { prefix: prefix(), policies: [window()] };
  createLimiter({ ...common, ...one });
  createLimiter({ ...common, ...other });
  expect(said()).toEqual([]);
});

test("one memory and one client are one place, for all limiters made with them", () => {
  const client = { evalsha: async () => [], eval: async () => [] };
  for (const place of [{ store: memoryStore() }, { redis: client }]) {
    const options = { prefix: prefix(), policies: [window()], ...place };
    createLimiter(options);
    createLimiter(options);
  }
  expect(said()).toHaveLength(2);
});

test("a gateway's rules are not limiters that lack a name: there it is a fault, or they differ", () => {
  const policies = [{ algorithm: "fixed-window", limit: 1, window: "1d" }];
  createGateway({
    ORIGIN: "https://origin.example",
    CLIENT_IP: "cloudflare",
    STORE: "memory",
    RULES: [{ path: "/a", policies }],
  });
  expect(said()).toEqual([]);
});

test("no more than 1,000 names are noted, of any number that a process makes", () => {
  const first = prefix();
  for (let i = 0; i < 1_000; i++) createLimiter({ prefix: prefix(), policies: [window()] });
  for (const _ of [1, 2]) createLimiter({ prefix: first, policies: [window()] });
  expect(said()).toEqual([]);
});
