import { Redis } from "ioredis";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";

import { startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { readConfig } from "../../src/gateway/config/config.ts";
import { ConfigurationError } from "../../src/options/errors.ts";
import { gatewayTo, quota, startOrigin } from "../support/gateway/gateway.ts";
import { ownRedis, TOKEN } from "../support/own-redis.ts";

/* Gateways with a Redis nearby, over real servers. */

const home = ownRedis();
const fra = ownRedis();
const gru = ownRedis();

beforeEach(() => void vi.spyOn(console, "warn").mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

type Own = ReturnType<typeof ownRedis>;

/** The variables of a gateway in a region. */
const variables = ({ bridge }: Own, more: object = {}) => ({
  STORE: "redis",
  UPSTASH_REDIS_REST_URL: home.bridge.url,
  UPSTASH_REDIS_REST_TOKEN: home.bridge.token,
  REGION_REDIS_REST_URL: bridge.url,
  REGION_REDIS_REST_TOKEN: bridge.token,
  TIMEOUT: "2s",
  ...more,
});

const hot = (name: string, limit: number) => ({ path: "/*", policies: [quota(name, limit)] });

test("gateways of two regions admit no more than the limit together", async () => {
  const { url } = await startOrigin();
  const gateways = [fra, gru].map((own) => gatewayTo(url, [hot("both", 40)], variables(own)));
  const statuses = [];
  for (let i = 0; i < 60; i++) statuses.push((await gateways[i % 2]!("/")).status);
  const passed = statuses.filter((status) => status === 200).length;
  expect(passed).toBeLessThanOrEqual(40);
  expect(passed).toBeGreaterThan(20);
  expect(statuses.at(-1)).toBe(429);
});

test("the numbers of a plan hold in a region, too", async () => {
  const { url } = await startOrigin();
  const rule = { ...hot("planned", 3), plan: "header:x-plan" };
  const more = { PLANS: { gold: { planned: { limit: 6 } } }, REGION_NAME: "fra" };
  const ask = gatewayTo(url, [rule], variables(fra, more));
  const passing = async (headers: Record<string, string>) => {
    let passed = 0;
    for (let i = 0; i < 9; i++) passed += Number((await ask("/", { headers })).status === 200);
    return passed;
  };
  expect(await passing({ "cf-connecting-ip": "192.0.2.1" })).toBe(3);
  expect(await passing({ "cf-connecting-ip": "192.0.2.2", "x-plan": "gold" })).toBe(6);
});

test("rules that no region decides are decided at home, and the log says so once", async () => {
  const { url } = await startOrigin();
  const rules = [
    { path: "/a", policies: [quota("regional", 100)] },
    { path: "/b", policies: [{ ...quota("bans", 5), counts: "failures" }] },
  ];
  const ask = gatewayTo(url, rules, variables(fra));
  expect([(await ask("/a")).status, (await ask("/b")).status]).toEqual([200, 200]);
  const told = vi
    .mocked(console.warn)
    .mock.calls.flat()
    .filter((line) => /cannot decide/.test(line));
  expect(told).toEqual([
    'tidegate: the region nearby cannot decide requests in which one of these policies takes part, so that they wait for home: "bans" has counts.',
  ]);
});

test("while home is gone, the stores of REGION_STORES count its parts, and REGIONS says how many more there are", async () => {
  const { url } = await startOrigin();
  const passedWith = async (name: string, more: object) => {
    const stores = {
      UPSTASH_REDIS_REST_URL: "http://127.0.0.1:1",
      REGION_REDIS_REST_URL: undefined,
      REGION_STORES: { fra: { url: fra.bridge.url }, gru: { url: gru.bridge.url } },
      REGION_NAME: "fra",
      ...more,
    };
    const isolates = [1, 2].map(() => gatewayTo(url, [hot(name, 20)], variables(fra, stores)));
    let passed = 0;
    for (let i = 0; i < 40; i++) passed += Number((await isolates[i % 2]!("/")).status === 200);
    return passed;
  };
  expect(await passedWith("named", {})).toBe(10);
  expect(await passedWith("more", { REGIONS: 4 })).toBe(5);
});

test("health tells a region that is gone from a home that is gone", async () => {
  const { url } = await startOrigin();
  const healthOf = async (more: object) => {
    const answer = await gatewayTo(
      url,
      [hot("p", 100)],
      variables(fra, { TIMEOUT: "1s", ...more }),
    )("/_tidegate/health");
    return { status: answer.status, body: (await answer.json()) as object };
  };
  const gone = "http://127.0.0.1:1";
  expect(await healthOf({ REGION_NAME: "fra" })).toMatchObject({
    status: 200,
    body: { status: "ok", regions: [{ name: "fra" }] },
  });
  expect(await healthOf({ REGION_REDIS_REST_URL: gone, REGION_NAME: "fra" })).toMatchObject({
    status: 200,
    body: {
      status: "degraded",
      code: "region-gone",
      regions: [{ name: "fra", code: "ERR_STORE_UNREACHABLE" }],
    },
  });
  const { status, body } = await healthOf({ UPSTASH_REDIS_REST_URL: gone });
  expect([status, body]).toMatchObject([
    503,
    {
      status: "store-unavailable",
      code: "ERR_STORE_UNREACHABLE",
      detail: expect.stringMatching(/^Home: Redis could not be reached/),
    },
  ]);
  expect(body).toHaveProperty("regions", [{ name: "nearby" }]);
});

test("health of a region needs no more of its Redis than the gateway's own keys", async () => {
  const admin = new Redis(fra.server.url);
  await admin.call("ACL", "SETUSER", "near", "on", ">secret", "~own:*", "+@all", "-@dangerous");
  admin.disconnect();
  const redis = fra.server.url.replace("redis://", "redis://near:secret@");
  const bridge = await startBridge({ redis, port: 0, token: TOKEN });
  onTestFinished(() => bridge.close());
  const more = {
    PREFIX: "own",
    REGION_REDIS_REST_URL: bridge.url,
    REGION_REDIS_REST_TOKEN: TOKEN,
  };
  const { url } = await startOrigin();
  const ask = gatewayTo(url, [hot("p", 100)], variables(fra, more));
  const answer = await ask("/_tidegate/health");
  expect(await answer.json()).toMatchObject({ status: "ok", regions: [{ name: "nearby" }] });
});

const TWO = { fra: { url: "https://fra.example" }, iad: { url: "https://iad.example" } };
const named = { REGION_NAME: "fra", REGION_REDIS_REST_TOKEN_FRA: "t" };
const at = { REGION_REDIS_REST_URL: "https://near.example", REGION_REDIS_REST_TOKEN: "t" };

test.each<[object, readonly string[]]>([
  [{}, []],
  [{ REGION_REDIS_REST_URL: "", REGION_REDIS_REST_TOKEN: "", REGION_TERM: "?" }, []],
  [at, []],
  [{ ...at, REGION_TERM: "1s", REGION_CREDIT: "2", REGIONS: 5, REGION_NAME: "fra" }, []],
  [{ REGION_REDIS_REST_URL: "https://near.example" }, ["REGION_REDIS_REST_TOKEN"]],
  [{ ...at, REGION_REDIS_REST_URL: "near" }, ["REGION_REDIS_REST_URL"]],
  [{ ...at, REGION_TERM: "1d", REGION_NAME: "a b" }, ["REGION_NAME", "REGION_TERM"]],
  [{ ...at, REGION_CREDIT: "2" }, ["REGION_CREDIT"]],
  [{ ...at, REGION_CREDIT: "two", REGIONS: "0" }, ["REGION_CREDIT", "REGIONS"]],
  [{ ...at, REGION_CREDIT: 10, REGIONS: 6 }, ["REGION_CREDIT"]],
  [{ ...at, STORE: "memory" }, ["STORE"]],
  [{ ...at, SHARED_DENIALS: "colo" }, ["SHARED_DENIALS"]],
  [{ REGION_STORES: "" }, []],
  [{ ...named, REGION_STORES: TWO }, []],
  [{ ...named, REGION_STORES: JSON.stringify(TWO) }, []],
  [{ ...named, REGION_STORES: TWO, REGION_REDIS_REST_TOKEN: "t" }, []],
  [{ REGION_STORES: TWO, REGION_REDIS_REST_TOKEN: "t" }, ["REGION_NAME"]],
  [{ ...named, REGION_NAME: "gru", REGION_STORES: TWO }, ["REGION_NAME"]],
  [{ VERCEL_REGION: "iad", REGION_STORES: TWO, REGION_REDIS_REST_TOKEN: "t" }, []],
  [{ VERCEL_REGION: "gru", REGION_STORES: TWO, REGION_REDIS_REST_TOKEN: "t" }, []],
  [{ REGION_NAME: "fra", REGION_STORES: TWO }, ["REGION_REDIS_REST_TOKEN_FRA"]],
  [
    { REGION_STORES: { "us-east": { url: "near" } } },
    ["REGION_STORES.us-east.url", "REGION_REDIS_REST_TOKEN_US_EAST"],
  ],
  [{ ...named, REGION_STORES: TWO, REGIONS: 1 }, ["REGIONS"]],
  [{ ...named, REGION_STORES: TWO, REGION_CREDIT: 25 }, []],
  [{ ...named, REGION_STORES: TWO, REGION_CREDIT: 26 }, ["REGION_CREDIT"]],
  [{ REGION_STORES: "{", REGION_CREDIT: 2 }, ["REGION_STORES"]],
  [{ ...named, ...at, REGION_STORES: TWO }, ["REGION_REDIS_REST_URL"]],
  [{ REGION_STORES: "{" }, ["REGION_STORES"]],
  [{ REGION_STORES: "fra" }, ["REGION_STORES"]],
  [{ REGION_STORES: {}, REGION_TERM: "1d" }, ["REGION_STORES", "REGION_TERM"]],
  [{ REGION_STORES: { "a b": { url: "https://a.example" } } }, ["REGION_STORES.a b"]],
  [{ REGION_STORES: { fra: {} } }, ["REGION_STORES.fra"]],
  [{ REGION_STORES: { fra: { url: "u", locationHint: "weur" } } }, ["REGION_STORES.fra"]],
  [{ REGION_STORES: { fra: { url: "u", token: "t" } } }, ["REGION_STORES.fra.token"]],
  [
    { REGION_STORES: { fra: { url: "u", at: [91, 0] }, iad: { url: "u", at: "here" } } },
    ["REGION_STORES.fra.at", "REGION_STORES.iad.at"],
  ],
  [{ REGION_STORES: { fra: { locationHint: "eu" } } }, ["REGION_STORES.fra.locationHint"]],
  [{ REGION_STORES: { fra: { locationHint: "weur" } } }, ["REGION_STORES.fra.locationHint"]],
])("the variables %j have faults at %j", (more, paths) => {
  const given = {
    ORIGIN: "https://origin.example",
    CLIENT_IP: "cloudflare",
    RULES: [hot("p", 100)],
    UPSTASH_REDIS_REST_URL: "https://home.example",
    UPSTASH_REDIS_REST_TOKEN: "t",
    ...more,
  };
  const faultsOf = () => {
    try {
      readConfig(given, {});
      return [];
    } catch (error) {
      return (error as ConfigurationError).faults.map(({ path }) => path);
    }
  };
  expect(faultsOf()).toEqual(paths);
});
