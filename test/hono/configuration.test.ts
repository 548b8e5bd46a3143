import { Hono } from "hono";
import { afterEach, describe, expect, inject, test, vi } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { shareDenials } from "../../src/features/shared-denials-feature.ts";
import { rateLimit, type RateLimitOptions } from "../../src/hono.ts";
import { denials, header, plans, subnet } from "../../src/index.ts";
import {
  ConfigurationError,
  type Fault,
  type FaultCode,
  type StoreError,
} from "../../src/options/errors.ts";
import { meaningOf } from "../../src/options/option-value.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";

interface Bindings {
  readonly UPSTASH_REDIS_REST_URL?: string;
  readonly UPSTASH_REDIS_REST_TOKEN?: string;
  readonly OTHER?: { readonly url: string; readonly token: string };
}
type E = { Bindings: Bindings };

const policies = [fixedWindow({ name: "hourly", limit: 1, window: "1h" })];
const other = fixedWindow({ name: "other", limit: 1, window: "2h" });

const sound = { store: openMemoryStore(), partition: () => "anyone" };
const wrong = () => ({ url: "redis://localhost", token: "secret" });
const endpoint = () => ({ url: inject("redisRestUrl"), token: inject("redisRestToken") });
const bindings = (): Bindings => ({
  UPSTASH_REDIS_REST_URL: inject("redisRestUrl"),
  UPSTASH_REDIS_REST_TOKEN: inject("redisRestToken"),
});

/** An app that shows what went wrong, and two requests to it. */
async function askTwice(options: Partial<RateLimitOptions<E>>, env: Bindings): Promise<string[]> {
  const user = crypto.randomUUID();
  const app = new Hono<E>()
    .use(rateLimit<E>({ policies, partition: () => user, ...options }))
    .get("/", (c) => c.text(c.var.rateLimit.reason));
  app.onError((error, c) => c.text(error.message, 500));
  const first = await app.request("/", {}, env);
  const second = await app.request("/", {}, env);
  return [`${first.status} ${await first.text()}`, String(second.status)];
}

function faultsOf(options: object): readonly Fault[] {
  try {
    rateLimit(options as RateLimitOptions);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return (error as ConfigurationError).faults;
  }
  return [];
}

const shownOf = (options: object) =>
  faultsOf(options).map(({ path, value }) => `${path}: ${value}`);

afterEach(() => {
  vi.unstubAllEnvs();
});

test("a cost may be all of a policy's limit", () => {
  const options = { ...sound, policies };
  expect(faultsOf({ ...options, cost: { hourly: 1 } })).toEqual([]);
  expect(faultsOf({ ...options, cost: 1 })).toEqual([]);
});

describe("the Redis of rateLimit()", () => {
  test("comes from c.env, with the first request", async () => {
    expect(await askTwice({}, bindings())).toEqual(["200 allowed", "429"]);
  });

  test("comes from the process where c.env has none, and from c.env before the process", async () => {
    vi.stubEnv("UPSTASH_REDIS_REST_URL", inject("redisRestUrl"));
    vi.stubEnv("UPSTASH_REDIS_REST_TOKEN", "not-the-token");
    const quietly = { onStoreError: () => {} };
    expect(await askTwice(quietly, {})).toEqual(["200 store-unavailable", "429"]);
    expect(await askTwice({}, bindings())).toEqual(["200 allowed", "429"]);
  });

  test("comes from a function of the context, asked once", async () => {
    const redis = vi.fn((c: { env: Bindings }) => c.env.OTHER!);
    expect(await askTwice({ redis }, { OTHER: endpoint() })).toEqual(["200 allowed", "429"]);
    expect(redis).toHaveBeenCalledTimes(1);
  });

  test("is given in the options, and then it is not looked up", async () => {
    const env = { UPSTASH_REDIS_REST_URL: "http://192.0.2.1", UPSTASH_REDIS_REST_TOKEN: "x" };
    expect(await askTwice({ redis: endpoint() }, env)).toEqual(["200 allowed", "429"]);
  });

  test("is missed with every request until it is there", async () => {
    const user = crypto.randomUUID();
    const app = new Hono<E>().use(rateLimit<E>({ policies, partition: () => user }));
    app.get("/", (c) => c.text("hello"));
    app.onError((error, c) => c.json({ code: (error as ConfigurationError).code, ...error }, 500));

    for (const _ of [1, 2]) {
      const answer = await app.request("/", {}, {});
      expect(answer.status).toBe(500);
      expect(await answer.json()).toMatchObject({
        code: "ERR_CONFIGURATION",
        faults: [
          { path: "UPSTASH_REDIS_REST_URL", value: "missing" },
          { path: "UPSTASH_REDIS_REST_TOKEN", value: "missing" },
        ],
      });
    }
    expect((await app.request("/", {}, bindings())).status).toBe(200);
  });

  test("is asked as the other options say, also where it comes with a request", async () => {
    const refused = { ...bindings(), UPSTASH_REDIS_REST_TOKEN: "not-the-token" };
    for (const redis of [undefined, () => ({ ...endpoint(), token: "not-the-token" })]) {
      const errors: string[] = [];
      const options = {
        ...(redis && { redis }),
        onStoreError: ({ code }: StoreError) => void errors.push(code),
      };
      await askTwice(options, refused);
      expect(errors).toEqual(["ERR_STORE_UNAUTHORIZED"]);
    }
  });

  test.each([
    ["comes from c.env", undefined],
    ["comes from a function", endpoint],
    ["is given", "given"],
  ] as const)("may be one whose denials are shared, where it %s", async (_where, place) => {
    const cache = shareDenials({ get: async () => undefined, put() {} });
    const { plain } = meaningOf(cache)!;
    const share = vi.spyOn(plain["sharedDenials"] as typeof cache, "share");
    const redis = place === "given" ? endpoint() : place;
    const user = crypto.randomUUID();
    const limit = rateLimit<E>({
      policies,
      partition: () => user,
      sharedDenials: cache,
      ...(redis && { redis }),
    });
    // A store that comes with a request has no limiter before it.
    expect(share).toHaveBeenCalledTimes(place === "given" ? 1 : 0);
    const app = new Hono<E>().use(limit).get("/", (c) => c.text("hello"));

    const statuses = [];
    for (const _ of [1, 2]) statuses.push((await app.request("/", {}, bindings())).status);
    expect(statuses).toEqual([200, 429]);
    expect(share).toHaveBeenCalledTimes(1);
  });

  test("that a function says wrongly is an error of the request", async () => {
    const [first] = await askTwice({ redis: wrong }, {});
    expect(first).toMatch(/^500 .*redis\.url: "redis:\/\/localhost": /s);
    expect(first).not.toContain("secret");
  });
});

describe("faults of rateLimit()", () => {
  test("are all said when it is made, also those that are about a store that comes later", () => {
    const faults = faultsOf({
      policies: [fixedWindow({ limit: 0, window: "1x" as never })],
      prefix: "{}",
      onFailure: "shut",
      timeout: "0ms",
      onStoreError: "log",
      denialCache: { maxEntries: 0 },
      headers: { "draft-12": true },
      partition: ["cookie"],
      onMissing: "allow",
      cost: -1,
    });
    expect(faults.map(({ path }) => path).sort()).toEqual([
      "cost",
      "denialCache",
      "headers.draft-12",
      "onFailure",
      "onMissing",
      "onStoreError",
      "partition[0]",
      "policies[0].limit",
      "policies[0].window",
      "prefix",
      "timeout",
    ]);
  });

  test.each([
    ["clientIp: missing", { store: openMemoryStore() }],
    ['clientIp: "nginx"', { store: openMemoryStore(), clientIp: "nginx" }],
    ['partition: "ip"', { store: openMemoryStore(), partition: "ip" }],
    ['store: "(an object)"', { ...sound, redis: endpoint }],
    ["cost: 2", { ...sound, cost: 2 }],
    ["cost: 0.5", { ...sound, cost: 0.5 }],
    ['cost: "1"', { ...sound, cost: "1" }],
    ["onDenied: 429", { ...sound, onDenied: 429 }],
    ['store: "(an object)"', { store: {}, partition: sound.partition }],
    ['redis.url: "x"', { redis: { url: "x", token: "y" }, partition: sound.partition }],
    ['sharedDenials: "(an object)"', { ...sound, sharedDenials: {} }],
    ['sharedDenials: "(an object)"', { partition: sound.partition, sharedDenials: {} }],
    ['timeout: "2m"', { redis: endpoint, partition: sound.partition, timeout: "2m" }],
  ])("%s, of %j", (fault, options) => {
    expect(shownOf({ policies, ...options })).toEqual([fault]);
  });

  const x = [header("x")];
  const second = (more: object) => ({ policies: [...policies, { ...other, ...more }] });

  test.each<[fault: string, options: object, code: FaultCode, says?: string]>([
    ['policies[1].by: "ip"', second({ by: "ip" }), "unsupported"],
    ['policies[1].by: "*"', second({ by: "*" }), "unsupported"],
    ['policies[1].partition: "ip"', second({ partition: "ip" }), "shape"],
    ["policies[1].partition: a function", second({ partition: () => "ada" }), "shape"],
    ['policies[1].partition[0]: "*"', second({ partition: ["*"] }), "shape"],
    ['policies[1].partition[0]: "cookie"', second({ partition: ["cookie"] }), "missing"],
    ['policies[1].partition[0]: "path:id"', second({ partition: ["path:id"] }), "unsupported"],
    ["partition[0]: a symbol", { partition: [Symbol("ip")] }, "shape"],
    [
      'partition[0]: "cookie"',
      { policies: [...policies, other], partition: ["cookie"] },
      "missing",
    ],
    ['policies[1].onMissing: "drop"', second({ onMissing: "drop" }), "choice", '"skip"'],
    ['onMissing: "skip"', { onMissing: "skip" }, "choice"],
    [
      'policies[0].onMissing: "skip"',
      { policies: [{ ...other, partition: x, onMissing: "skip" }] },
      "conflict",
    ],
    ["cost.weekly: 1", { cost: { weekly: 1 } }, "unknown-name"],
    ["cost.hourly: 2", { cost: { hourly: 2 } }, "conflict"],
    ["cost: []", { cost: [] }, "shape"],
    ['plan: "header:x-plan"', { plan: "header:x-plan" }, "missing"],
    ['plan: "x-plan"', { plan: "x-plan", plans: plans({}) }, "shape"],
    ["plan: null", { plan: null, plans: plans({}) }, "shape"],
    ["plans: 5", { plan: "header:x-plan", plans: plans(5 as never) }, "shape"],
    [
      "plans.gold.x: 5",
      { plan: "header:x", plans: plans({ gold: { x: 5 as never } }) },
      "unknown-name",
    ],
    ['policies[1].mode: "off"', second({ mode: "off" }), "shape", "{ shadow }"],
    ['policies[1].counts: "errors"', second({ counts: "errors" }), "shape", "{ denials }"],
    [
      'policies[1].when: "(an object)"',
      second({ when: { status: [401] } }),
      "shape",
      "{ failures }",
    ],
    ['policies[0].counts: "denials"', { policies: [{ ...other, counts: denials() }] }, "missing"],
    ["onmissing: 1", { onmissing: 1 }, "unknown-option", "`onMissing`"],
    ['keyGenerator: "(a number)"', { keyGenerator: 1 }, "unknown-option", "`partition`"],
  ])("%s, of %j", (fault, options, code, says = "") => {
    const given = { store: openMemoryStore(), policies, clientIp: "cloudflare", ...options };
    expect(shownOf(given)).toEqual([fault]);
    expect(faultsOf(given)).toMatchObject([{ code, remedy: expect.stringContaining(says) }]);
  });

  test("are said once where several policies share them", () => {
    const sharing = [
      { ...other, name: "a", partition: ["ip"] },
      { ...other, name: "b", partition: [subnet()] },
      other,
    ];
    const found = faultsOf({ store: openMemoryStore(), policies: sharing });
    expect(found.map(({ path }) => path)).toEqual(["clientIp"]);
  });
});
