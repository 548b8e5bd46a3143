import { expect, test, vi } from "vitest";

import { freePort } from "../../scripts/support/free-port.ts";
import { liveKeys } from "../../src/store/control/live-keys.ts";
import { quota } from "../support/gateway/gateway.ts";
import { type MeteredGateway, meteredGateways } from "../support/metrics/metered-gateway.ts";
import { parseOpenMetrics } from "./parse-open-metrics.ts";

const RULES = [
  { method: "GET", path: "/api/*", policies: [quota("api", 8)] },
  { path: "/keys", partition: ["header:x-key"], policies: [quota("keys", 1)] },
];

async function start(variables: object = {}) {
  const gateways = await meteredGateways(RULES, variables);
  return { ...gateways, ...gateways.open() };
}

type Api = Pick<MeteredGateway, "api">;

const samplesOf = async ({ api }: Api) =>
  parseOpenMetrics(await (await api("/metrics")).text()).samples;

async function topOf({ api }: Api, query: string) {
  return (await (await api(`/top?${query}`)).json()) as {
    readonly from: string;
    readonly to: string;
    readonly partitions: readonly { policy: string; partition: string; count: number }[];
  };
}

test("a scrape has the counts of this isolate and of others, at once, and counters never go back", async () => {
  const gateway = await start();
  const { ask, open, api } = gateway;
  const other = open();
  for (let i = 0; i < 6; i++) await ask("/api/x");
  for (let i = 0; i < 3; i++) await other.ask("/api/x", "192.0.2.2");
  await other.flush();
  const { headers } = await api("/metrics");
  expect(headers.get("content-type")).toBe(
    "application/openmetrics-text; version=1.0.0; charset=utf-8",
  );
  expect(headers.get("cache-control")).toBe("no-store");
  const samples = await samplesOf(gateway);
  const labels = 'rule="GET /api/*",outcome="allowed",reason="allowed"';
  expect(samples.get(`tidegate_requests_total{${labels}}`)).toBe(9);
  expect(samples.get('tidegate_utilization_ratio_count{policy="api"}')).toBe(9);
  // A right token asks Redis nothing.
  expect(samples.get("tidegate_store_duration_seconds_count")).toBe(9);
  expect(samples.get('tidegate_policy_limit{policy="api"}')).toBe(8);

  const passed = 'tidegate_requests_total{rule="none",outcome="passed",reason="no-rule"}';
  for (let i = 1; i < 6; i++) {
    await ask("/other");
    await open().ask("/other");
    expect((await samplesOf(gateway)).get(passed)).toBe(i);
  }
});

test("a dashboard reads series, with moments as ISO 8601", async () => {
  const { ask, api } = await start();
  for (let i = 0; i < 9; i++) await ask("/api/x");
  const beforeMs = Date.now();
  const body = (await (await api("/stats?step=hour")).json()) as {
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
    const gateway = await start({ METRICS_IDENTITIES: named });
    const { ask } = gateway;
    for (let i = 0; i < 11; i++) await ask("/api/x", "192.0.2.77");
    for (let i = 0; i < 9; i++) await ask("/api/x", "192.0.2.78");
    for (let i = 0; i < 2; i++) await ask("/keys", undefined, { headers: { "x-key": "secret" } });
    const top = async (kind: string) => (await topOf(gateway, `kind=${kind}`)).partitions;
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
  const gateway = await start();
  for (let i = 0; i < 7; i++) await gateway.ask("/api/x");
  expect(await topOf(gateway, "kind=denied")).toMatchObject({ partitions: [] });
  expect(await topOf(gateway, "kind=near")).toMatchObject({
    partitions: [{ policy: "api", count: 1 }],
  });
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
  const { api } = await start();
  const response = await api(path);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ detail: expect.stringMatching(/\w/) });
});

test("a span is as long as last says, and ends where to says", async () => {
  const gateway = await start();
  const nowMs = Date.now();
  for (const [hours, name] of [
    [3, "ip:three"],
    [8, "ip:eight"],
  ] as const) {
    const key = gateway.keys.top("denied", nowMs - hours * 3_600_000);
    await gateway.redis.zadd(key, 7, `api ${name}`);
  }
  const named = async (query: string) => {
    const { from, to, partitions } = await topOf(gateway, query);
    const hours = (Date.parse(to) - Date.parse(from)) / 3_600_000;
    return [hours, ...partitions.map(({ partition }) => partition).toSorted()];
  };
  expect(await named("")).toEqual([1]);
  expect(await named("last=4h")).toEqual([4, "ip:three"]);
  expect(await named("last=24h")).toEqual([24, "ip:eight", "ip:three"]);
  expect(await named(`last=2h&to=${nowMs - 7 * 3_600_000}`)).toEqual([2, "ip:eight"]);
});

test.each([
  ["/metrics", undefined],
  ["/partitions/history", { name: "a:b" }],
])(
  "%s cannot be read without a token, and where metrics are off it says so",
  async (path, body) => {
    const { api } = await start();
    expect((await api(path, body, "a-wrong-token-of-some-length")).status).toBe(401);
    const off = await start({ METRICS: "off" });
    expect((await off.api(path, body)).status).toBe(501);
  },
);

test.each(["/metrics", "/stats", "/top?kind=denied"])(
  "without its Redis %s is a 503 that says why",
  async (path) => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { api } = await start({ UPSTASH_REDIS_REST_URL: url });
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const response = await api(path);
    expect(response.status).toBe(503);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await response.json()).toMatchObject({
      code: "ERR_STORE_UNREACHABLE",
      detail: expect.stringContaining("Redis could not be reached") as string,
    });
  },
);

test("counts can be read also where no live rules are", async () => {
  const gateway = await start({ LIVE_REFRESH: "off" });
  await gateway.ask("/api/x");
  const labels = 'rule="GET /api/*",outcome="allowed",reason="allowed"';
  expect((await samplesOf(gateway)).get(`tidegate_requests_total{${labels}}`)).toBe(1);
});

test("the gauge of the breaker is 1 while it is open, and 0 before", async () => {
  const gateway = await start();
  await gateway.ask("/api/x");
  expect((await samplesOf(gateway)).get("tidegate_breaker_open")).toBe(0);

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
  const gateway = await start();
  const inspect = vi.spyOn(gateway.administered.store, "inspect");
  inspect.mockResolvedValue({ store: "redis", ...facts });
  expect((await samplesOf(gateway)).get("tidegate_breaker_open")).toBe(gauge);
});

test("the gauge of restored rules is 1 after Redis has lost the enforced ones, which the gateway puts back", async () => {
  const gateway = await start();
  const { ask, publish, prefix, redis, administered } = gateway;
  const gauges = async () => {
    const samples = await samplesOf(gateway);
    return ["version", "error", "restored"].map((name) => samples.get(`tidegate_config_${name}`));
  };
  await publish({ rules: RULES });
  await ask("/api/x");
  expect(await gauges()).toEqual([1, 0, 0]);
  await redis.del(liveKeys(prefix).state);
  await administered.refresh();
  expect(await gauges()).toEqual([1, 0, 1]);
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
    gateways.open({ METRICS_FLUSH }).administered.metrics?.flushMs;
  expect([flushMs(), flushMs("10s")]).toEqual([60_000, 10_000]);
});
