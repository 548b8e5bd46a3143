import { expect, inject, test, vi } from "vitest";

import { freePort } from "../../scripts/support/free-port.ts";
import { admin } from "../../src/admin.ts";
import { answerAdmin } from "../../src/admin/admin.ts";
import { createGateway } from "../../src/gateway/gateway.ts";
import { liveKeys } from "../../src/live/keys.ts";
import { metrics } from "../../src/metrics/recorder.ts";
import { quota } from "../support/gateway/gateway.ts";
import { ADMIN_TOKEN } from "../support/live/live-gateway.ts";
import { type MeteredGateways, meteredGateways } from "../support/metrics/metered-gateway.ts";
import { parseOpenMetrics } from "./parse-open-metrics.ts";

const RULES = [
  { method: "GET", path: "/api/*", policies: [quota("api", 8)] },
  { path: "/keys", partition: ["header:x-key"], policies: [quota("keys", 1)] },
];

/** Asks the admin API of a gateway. */
const asking =
  (fetch: (request: Request) => Promise<Response>) =>
  (path: string, token = ADMIN_TOKEN): Promise<Response> =>
    fetch(
      new Request(`http://gateway.example/_tidegate/api/v1${path}`, {
        headers: { authorization: `Bearer ${token}`, "cf-connecting-ip": "192.0.2.9" },
      }),
    );

async function start(variables: object = {}) {
  const gateways: MeteredGateways = await meteredGateways(RULES, variables);
  const isolate = gateways.open();
  const bindings = {};
  const answer = answerAdmin(isolate.administered);
  return { ...gateways, ...isolate, get: asking((request) => answer(request, bindings)) };
}

test("a scrape has the counts of this isolate and of others, at once", async () => {
  const { ask, open, get } = await start();
  const other = open();
  for (let i = 0; i < 6; i++) await ask("/api/x");
  for (let i = 0; i < 3; i++) await other.ask("/api/x", "192.0.2.2");
  await other.flush();
  const response = await get("/metrics");
  expect(response.headers.get("content-type")).toBe(
    "application/openmetrics-text; version=1.0.0; charset=utf-8",
  );
  expect(response.headers.get("cache-control")).toBe("no-store");
  const { samples } = parseOpenMetrics(await response.text());
  const of = (name: string) => samples.get(name);
  const labels = 'rule="GET /api/*",outcome="allowed",reason="allowed"';
  expect(of(`tidegate_requests_total{${labels}}`)).toBe(9);
  expect(of('tidegate_utilization_ratio_count{policy="api"}')).toBe(9);
  // A right token asks Redis nothing.
  expect(of("tidegate_store_duration_seconds_count")).toBe(9);
  expect(of('tidegate_policy_limit{policy="api"}')).toBe(8);
});

test("counters never go back, in the answer of any isolate", async () => {
  const { ask, get, open } = await start();
  let before = 0;
  for (let i = 0; i < 5; i++) {
    await ask("/other");
    await open().ask("/other");
    const { samples } = parseOpenMetrics(await (await get("/metrics")).text());
    const now = samples.get(
      'tidegate_requests_total{rule="none",outcome="passed",reason="no-rule"}',
    )!;
    expect(now).toBe(before + 1);
    before = now;
  }
});

test("a dashboard reads series, with moments as ISO 8601", async () => {
  const { ask, get } = await start();
  for (let i = 0; i < 9; i++) await ask("/api/x");
  const beforeMs = Date.now();
  const body = (await (await get("/stats?step=hour")).json()) as {
    step: string;
    times: string[];
    completeTo: string;
    requests: { rule: string; outcome: string; counts: number[] }[];
  };
  expect(body.step).toBe("hour");
  expect(body.times).toHaveLength(25);
  expect(body.times.at(-1)).toMatch(/^\d{4}-.*:00:00\.000Z$/);
  // Ten minutes, as METRICS_FLUSH is here: other isolates may have counts that they have not written.
  const complete = Date.parse(body.completeTo) + 600_000;
  expect(complete).toBeGreaterThanOrEqual(beforeMs);
  expect(complete).toBeLessThanOrEqual(Date.now());
  const sums = body.requests.map(({ rule, outcome, counts }) => [
    rule,
    outcome,
    counts.reduce((sum, count) => sum + count),
  ]);
  expect(sums).toEqual([
    ["GET /api/*", "allowed", 8],
    ["GET /api/*", "denied", 1],
  ]);
});

test.each(["hashed", "plain"])(
  "the partitions at the top are named, identities %s",
  async (named) => {
    const { ask, get } = await start({ METRICS_IDENTITIES: named });
    for (let i = 0; i < 11; i++) await ask("/api/x", "192.0.2.77");
    for (let i = 0; i < 9; i++) await ask("/api/x", "192.0.2.78");
    for (let i = 0; i < 2; i++) await ask("/keys", undefined, { headers: { "x-key": "secret" } });
    const top = async (kind: string) => {
      const { partitions } = (await (await get(`/top?kind=${kind}`)).json()) as {
        partitions: { policy: string; partition: string; count: number }[];
      };
      return partitions;
    };
    const denied = await top("denied");
    const counts = denied.map(({ policy, count }) => `${policy} ${count}`);
    expect([counts[0], counts.slice(1).sort()]).toEqual(["api 3", ["api 1", "keys 1"]]);
    if (named === "plain") expect(denied[0]!.partition).toBe("ip:192.0.2.77");
    else expect(denied[0]!.partition).toMatch(/^ip:[\w-]{22}$/);
    expect(JSON.stringify(denied)).not.toContain("secret");
    // The seventh and eighth of eight.
    const near = await top("near");
    expect(near.map(({ policy, count }) => `${policy} ${count}`).sort()).toEqual([
      "api 2",
      "api 2",
      "keys 1",
    ]);
  },
);

test("a partition near its limit is named where none was denied", async () => {
  const { ask, get } = await start();
  for (let i = 0; i < 7; i++) await ask("/api/x");
  const top = async (kind: string) => (await (await get(`/top?kind=${kind}`)).json()) as object;
  expect(await top("denied")).toMatchObject({ partitions: [] });
  expect(await top("near")).toMatchObject({ partitions: [{ policy: "api", count: 1 }] });
});

test.each([
  "/stats?step=day",
  "/stats?from=yesterday",
  "/stats?from=2031-01-02T00:00:00Z&to=2031-01-01T00:00:00Z",
  "/stats?from=2031-01-01T00:00:00Z&to=2031-01-01T00:00:00Z",
  "/stats?from=2031-01-01T00:00:00Z&to=2031-01-03T00:00:00Z",
  "/top?kind=all",
  "/top?step=hour",
  "/top?last=6",
  "/top?last=0s",
  "/top?last=25h",
  "/top?last=1h&from=2031-01-01T00:00:00Z&to=2031-01-01T00:30:00Z",
  "/stats?last=2d",
  "/metrics?name=a",
])("%s is refused, and says why", async (path) => {
  const { get } = await start();
  const response = await get(path);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ detail: expect.stringMatching(/\w/) });
});

test("a span is as long as last says, and ends where to says", async () => {
  const { get, redis, keys } = await start();
  const nowMs = Date.now();
  const hoursAgo = async (hours: number, name: string) =>
    redis.zadd(keys.top("denied", nowMs - hours * 3_600_000), 7, `api ${name}`);
  await hoursAgo(3, "ip:three");
  await hoursAgo(8, "ip:eight");
  const named = async (query: string) => {
    const { from, to, partitions } = (await (await get(`/top?${query}`)).json()) as {
      from: string;
      to: string;
      partitions: { partition: string }[];
    };
    const hours = (Date.parse(to) - Date.parse(from)) / 3_600_000;
    return [hours, ...partitions.map(({ partition }) => partition).toSorted()];
  };
  expect(await named("")).toEqual([1]);
  expect(await named("last=4h")).toEqual([4, "ip:three"]);
  expect(await named("last=24h")).toEqual([24, "ip:eight", "ip:three"]);
  expect(await named(`last=2h&to=${nowMs - 7 * 3_600_000}`)).toEqual([2, "ip:eight"]);
});

test("metrics cannot be read without a token, and where they are off they say so", async () => {
  const { get } = await start();
  expect((await get("/metrics", "a-wrong-token-of-some-length")).status).toBe(401);
  const off = await start({ METRICS: "off" });
  expect((await off.get("/metrics")).status).toBe(501);
});

test.each(["/metrics", "/stats", "/top?kind=denied"])(
  "without its Redis %s is a 503 that says why",
  async (path) => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { get } = await start({ UPSTASH_REDIS_REST_URL: url });
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const response = await get(path);
    expect(response.status).toBe(503);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await response.json()).toMatchObject({
      code: "ERR_STORE_UNREACHABLE",
      detail: expect.stringContaining("Redis could not be reached") as string,
    });
  },
);

test("counts can be read also where no live rules are", async () => {
  const { ask, get } = await start({ LIVE_REFRESH: "off" });
  await ask("/api/x");
  const { samples } = parseOpenMetrics(await (await get("/metrics")).text());
  const labels = 'rule="GET /api/*",outcome="allowed",reason="allowed"';
  expect(samples.get(`tidegate_requests_total{${labels}}`)).toBe(1);
});

test("requests to the gateway itself are not counted", async () => {
  const gateway = createGateway(
    {
      ORIGIN: "http://127.0.0.1:1",
      UPSTASH_REDIS_REST_URL: inject("redisRestUrl"),
      UPSTASH_REDIS_REST_TOKEN: inject("redisRestToken"),
      PREFIX: crypto.randomUUID(),
      CLIENT_IP: "cloudflare",
      RULES,
      READ_TOKEN: ADMIN_TOKEN,
    },
    { admin, metrics },
  );
  const get = asking(async (request) => gateway.fetch(request));
  for (const path of ["health", "live", "quota"]) {
    await gateway.fetch(new Request(`http://gateway.example/_tidegate/${path}`));
  }
  const { samples } = parseOpenMetrics(await (await get("/metrics")).text());
  const names = [...samples.keys()];
  expect(names.filter((name) => name.startsWith("tidegate_requests_total"))).toEqual([]);
});

test("every command that the gateway sends to Redis is counted", async () => {
  const { open, reader } = await start();
  const { ask, flush } = open();
  const fetched = vi.spyOn(globalThis, "fetch");
  for (let i = 0; i < 12; i++) await ask("/api/x");
  await ask("/keys");
  await flush();
  const { length } = fetched.mock.calls.filter(([url]) => url === inject("redisRestUrl"));
  fetched.mockRestore();
  // A flush counts itself with the next one.
  await flush();
  expect((await reader.total()).commands).toBe(length);
});

test("the gauge of the breaker is 1 while it is open, and 0 before", async () => {
  const { get, ask } = await start();
  const gauge = async (from: typeof get) =>
    parseOpenMetrics(await (await from("/metrics")).text()).samples.get("tidegate_breaker_open");
  await ask("/api/x");
  expect(await gauge(get)).toBe(0);

  const gateways = await meteredGateways(RULES);
  const isolate = gateways.open({ LIVE_REFRESH: "10s" });
  const send = globalThis.fetch;
  const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async (...asked) => {
    if (String(asked[1]?.body).includes("EVALSHA")) throw new TypeError("fetch failed");
    return send(...asked);
  });
  for (let i = 0; i < 6; i++) await isolate.ask("/api/x");
  fetched.mockRestore();
  expect((await isolate.administered.gauges()).isBreakerOpen).toBe(true);
});

test.each([
  [1, { breaker: "half-open", suspendedSlots: 16_384 }],
  [1, { breaker: "half-open", suspendedSlots: 64 }],
  [1, { breaker: "open", suspendedSlots: 16_384 }],
  [0, { breaker: "closed" }],
] as const)("the gauge of the breaker is %i where the store says %o", async (gauge, facts) => {
  const { get, administered } = await start();
  vi.spyOn(administered.store, "inspect").mockResolvedValue({ store: "redis", ...facts });
  const { samples } = parseOpenMetrics(await (await get("/metrics")).text());
  expect(samples.get("tidegate_breaker_open")).toBe(gauge);
});

test("the gauge of a wrong configuration is 1 while Redis has lost the enforced rules", async () => {
  const { get, ask, publish, prefix, redis, administered } = await start();
  const gauges = async () => {
    const { samples } = parseOpenMetrics(await (await get("/metrics")).text());
    return ["tidegate_config_version", "tidegate_config_error"].map((name) => samples.get(name));
  };
  await publish({ rules: RULES });
  await ask("/api/x");
  expect(await gauges()).toEqual([1, 0]);
  await redis.del(liveKeys(prefix).state);
  await administered.refresh();
  expect(await gauges()).toEqual([1, 1]);
});

test("the gauges of a policy in shards are those of the whole policy", async () => {
  const sharded = { ...quota("api", 80), shards: 4 };
  const { administered } = (
    await meteredGateways([{ path: "/api/*", policies: [sharded] }])
  ).open();
  const { policies } = await administered.gauges();
  expect(policies).toEqual([{ name: "api", limit: 80, windowSeconds: 30 * 86_400 }]);
});

test("how often isolates write is what METRICS_FLUSH says, in milliseconds", async () => {
  const gateways = await meteredGateways(RULES);
  const flushMs = (METRICS_FLUSH?: string) =>
    gateways.open({ METRICS_FLUSH }).administered.metricsFlushMs;
  expect([flushMs(), flushMs("10s")]).toEqual([60_000, 10_000]);
});

test("the partitions that were denied most are kept for a day", async () => {
  const { ask, flush, redis, keys } = await start();
  for (let i = 0; i < 9; i++) await ask("/api/x");
  await flush();
  const tops = await redis.keys(keys.top("denied", 0).replace(/\d+$/, "*"));
  const lasting = await Promise.all(tops.map((key) => redis.ttl(key)));
  expect(lasting).not.toHaveLength(0);
  for (const seconds of lasting) {
    expect(seconds).toBeGreaterThan(86_000);
    expect(seconds).toBeLessThanOrEqual(86_400);
  }
});
