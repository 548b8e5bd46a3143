import { Hono } from "hono";
import { afterEach, describe, expect, inject, test, vi } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { ConfigurationError, type Fault, type StoreError } from "../../src/errors/errors.ts";
import { shareDenials } from "../../src/features/shared-denials/shared-denials.ts";
import { rateLimit, type RateLimitOptions } from "../../src/hono.ts";
import { memoryStore } from "../../src/store/memory-store.ts";

interface Bindings {
  readonly UPSTASH_REDIS_REST_URL?: string;
  readonly UPSTASH_REDIS_REST_TOKEN?: string;
  readonly OTHER?: { readonly url: string; readonly token: string };
}
type E = { Bindings: Bindings };

const policies = [fixedWindow({ name: "hourly", limit: 1, window: "1h" })];
const other = fixedWindow({ name: "other", limit: 1, window: "2h" });
const SOURCES = /^Give a list of sources, first choice first: .*; or "\*" to count everybody/;
const PLAN = /^Name a header that something in front of you sets: "header:x-plan"\.$/;
const anyone = () => "anyone";
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

afterEach(() => {
  vi.unstubAllEnvs();
});

test("a cost may be all of a policy's limit", () => {
  const options = { store: memoryStore(), partition: anyone, policies };
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
          {
            path: "UPSTASH_REDIS_REST_URL",
            value: "missing",
            code: expect.any(String),
            remedy: expect.any(String),
          },
          {
            path: "UPSTASH_REDIS_REST_TOKEN",
            value: "missing",
            code: expect.any(String),
            remedy: expect.any(String),
          },
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
    const share = vi.fn(cache.share);
    const redis = place === "given" ? endpoint() : place;
    const user = crypto.randomUUID();
    const limit = rateLimit<E>({
      policies,
      partition: () => user,
      sharedDenials: { share },
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
    ["clientIp", { store: memoryStore() }, "missing"],
    ["clientIp", { store: memoryStore(), clientIp: "nginx" }, '"nginx"'],
    ["partition", { store: memoryStore(), partition: "ip" }, '"ip"'],
    ["cost", { store: memoryStore(), partition: anyone, cost: 2 }, "2"],
    ["cost", { store: memoryStore(), partition: anyone, cost: 0.5 }, "0.5"],
    ["cost", { store: memoryStore(), partition: anyone, cost: "1" }, '"1"'],
    ["onDenied", { store: memoryStore(), partition: anyone, onDenied: 429 }, "429"],
    ["store", { store: {}, partition: anyone }, '"(an object)"'],
    ["redis.url", { redis: { url: "x", token: "y" }, partition: anyone }, '"x"'],
    [
      "sharedDenials",
      { store: memoryStore(), partition: anyone, sharedDenials: {} },
      '"(an object)"',
    ],
    ["sharedDenials", { partition: anyone, sharedDenials: {} }, '"(an object)"'],
    ["timeout", { redis: endpoint, partition: anyone, timeout: "2m" }, '"2m"'],
  ])("%s of %j is one: %s", (path, options, value) => {
    expect(faultsOf({ policies, ...options })).toEqual([
      { path, value, code: expect.any(String), remedy: expect.any(String) },
    ]);
  });

  const x = ["header:x"];
  const second = (more: object) => ({ policies: [...policies, { ...other, ...more }] });

  test.each<[path: string, options: object, value: string, remedy: RegExp]>([
    ["policies[1].by", second({ by: "ip" }), '"ip"', /^Give the policy a partition instead: /],
    ["policies[1].by", second({ by: "*" }), '"*"', /Only limiters in code have `by`\.$/],
    ["policies[1].partition", second({ partition: "ip" }), '"ip"', SOURCES],
    ["policies[1].partition", second({ partition: [] }), "[]", SOURCES],
    ["policies[1].partition", second({ partition: null }), "null", SOURCES],
    ["policies[1].partition", second({ partition: () => "ada" }), "a function", SOURCES],
    ["policies[1].partition[0]", second({ partition: ["*"] }), '"*"', /^Give "\*" alone/],
    ["policies[1].partition[0]", second({ partition: ["cookie"] }), '"cookie"', /^Say which one/],
    ["policies[1].partition[0]", second({ partition: ["path:id"] }), '"path:id"', /^Give a func/],
    [
      "policies[1].partition[0]",
      second({ partition: [Symbol("ip")] }),
      "a symbol",
      /^Use "ip", "subnet"/,
    ],
    ["partition", { partition: null }, "null", SOURCES],
    ["partition[0]", { partition: [Symbol("ip")] }, "a symbol", /^Use "ip", "subnet"/],
    [
      "partition[0]",
      { policies: [...policies, other], partition: ["cookie"] },
      '"cookie"',
      /^Say which one/,
    ],
    ["policies[1].onMissing", second({ onMissing: "drop" }), '"drop"', /"reject" or "skip"\.$/],
    ["policies[1].onMissing", second({ onMissing: null }), "null", /"reject" or "skip"\.$/],
    ["onMissing", { onMissing: "skip" }, '"skip"', /^Use "share" or "reject"\.$/],
    [
      "policies[0].onMissing",
      { policies: [{ ...other, partition: x, onMissing: "skip" }] },
      '"skip"',
      /^Leave it out of one policy that is enforced: nothing/,
    ],
    ["cost.weekly", { cost: { weekly: 1 } }, "1", /^Use the name of a policy of this list\.$/],
    [
      "cost.hourly",
      { cost: { hourly: 2 } },
      "2",
      /^It is above the limit of a policy, or of one of its shards/,
    ],
    ["cost.hourly", { cost: { hourly: -1 } }, "-1", /^Give a whole number of units from 0/],
    ["cost.hourly", { cost: { hourly: "1" } }, '"1"', /^Give a whole number of units from 0/],
    ["cost", { cost: [] }, "[]", /^Give a whole number of units from 0/],
    ["cost", { cost: [1] }, "[1]", /^Give a whole number of units from 0/],
    ["cost", { cost: null }, "null", /by their names, or a function that returns either\.$/],
    ["plan", { plan: "header:x-plan" }, '"header:x-plan"', /^Give `plans`, too/],
    ["plan", { plan: "x-plan", plans: {} }, '"x-plan"', PLAN],
    ["plan", { plan: "header:a b", plans: {} }, '"header:a b"', PLAN],
    ["plan", { plan: "cookie:plan", plans: {} }, '"cookie:plan"', PLAN],
    ["plan", { plan: ["header:x"], plans: {} }, '["header:x"]', PLAN],
    ["plan", { plan: null, plans: {} }, "null", PLAN],
    ["plans", { plan: "header:x-plan", plans: 5 }, "5", /^Give plans by their names/],
    ["plans.gold.x", { plan: x[0], plans: { gold: { x: 5 } } }, "5", /^Use the name of a policy: /],
    ["policies[1].mode", second({ mode: "off" }), '"off"', /^Use "enforce"/],
    ["policies[1].counts", second({ counts: "errors" }), '"errors"', /^Use "requests"/],
    [
      "policies[1].when",
      second({ when: { status: [401] } }),
      '{"status":[401]}',
      /^Leave it out, or set counts to "failures": only that looks at responses\.$/,
    ],
    [
      "policies[1].when",
      second({ counts: "failures", when: 401 }),
      "401",
      /^Give the statuses of failures: \{ status: \[401, 403\] \}\.$/,
    ],
    [
      "policies[1].when.status[1]",
      second({ counts: "failures", when: { status: [401, 1000] } }),
      "1000",
      /^Give the status of a response: a whole number from 100 to 599\.$/,
    ],
    [
      "policies[0].counts",
      { policies: [{ ...other, counts: "denials" }] },
      '"denials"',
      /^Add a policy that counts requests/,
    ],
    ["lists", { lists: [] }, "[]", /^Give a table of allow and deny/],
    ["lists.allow", { lists: { allow: {} } }, "{}", /^Give a list of entries/],
    ["lists.block", { lists: { block: [] } }, '"(an object)"', /^The options are allow, deny/],
  ])("%s of %j is one: %s (of several policies and plans)", (path, options, value, remedy) => {
    const sound = { store: memoryStore(), policies, clientIp: "cloudflare" };
    expect(faultsOf({ ...sound, ...options })).toEqual([
      { path, value, code: expect.any(String), remedy: expect.stringMatching(remedy) },
    ]);
  });

  test("are said once where several policies share them", () => {
    const sharing = [
      { ...other, name: "a", partition: ["ip"] },
      { ...other, name: "b", partition: ["subnet"] },
      other,
    ];
    const found = faultsOf({ store: memoryStore(), policies: sharing });
    expect(found.map(({ path }) => path)).toEqual(["clientIp"]);
  });

  test.each([
    ["onfailure", "Did you mean `onFailure`?"],
    ["onmissing", "Did you mean `onMissing`?"],
    ["partitions", "Did you mean `partition`?"],
    ["keyGenerator", "The options are policies,"],
  ])("%s is no option", (name, hint) => {
    const options = { store: memoryStore(), policies, partition: anyone, [name]: 1 };
    expect(faultsOf(options)).toEqual([
      { path: name, value: "1", code: expect.any(String), remedy: expect.stringContaining(hint) },
    ]);
  });

  test("are not met by a store and a function for the Redis at once", () => {
    const both = { store: memoryStore(), redis: () => endpoint(), partition: anyone };
    expect(faultsOf({ policies, ...both }).map(({ path }) => path)).toEqual(["store"]);
  });
});
