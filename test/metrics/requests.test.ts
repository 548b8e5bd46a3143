import { expect, test } from "vitest";

import { readConfig } from "../../src/gateway/config/config.ts";
import { metrics } from "../../src/metrics/metrics.ts";
import { quota } from "../support/gateway/gateway.ts";
import { ADMIN_TOKEN } from "../support/live/live-gateway.ts";
import { meteredGateways, requestsOf } from "../support/metrics/metered-gateway.ts";

const API = { method: "GET", path: "/api/*", policies: [quota("api", 5)] };

test("every request is counted once, by its outcome", async () => {
  const gateways = await meteredGateways(
    [
      API,
      {
        path: "/pay/*",
        partition: ["header:x-key"],
        onMissing: "reject",
        policies: [quota("pay", 5)],
      },
      { path: "/big", cost: 9, policies: [quota("big", 10)] },
    ],
    {
      LISTS: { allow: [{ cidr: "198.51.100.0/24" }], deny: [{ cidr: "203.0.113.0/24" }] },
      CORS: { origin: "*" },
    },
  );
  const asking = { origin: "https://app.example", "access-control-request-method": "GET" };
  const preflight = { method: "OPTIONS", headers: asking };
  const { ask, flush } = gateways.open();
  const statuses: number[] = [];
  for (let i = 0; i < 9; i++) statuses.push((await ask("/api/x")).status);
  for (let i = 0; i < 2; i++) statuses.push((await ask("/big")).status);
  const other = gateways.open();
  for (let i = 0; i < 2; i++) statuses.push((await other.ask("/api/x")).status);
  statuses.push(
    (await ask("/api/x", "198.51.100.1")).status,
    (await ask("/api/x", "203.0.113.1")).status,
    (await ask("/pay/x")).status,
    (await ask("/other")).status,
    (await ask("/api/x", "192.0.2.1", preflight)).status,
    (await ask("/api/%252e%252e/x")).status,
    (await ask("/_tidegate/nothing")).status,
    // It is none of the origin's, so that it is not counted.
    (await ask("/_tidegate/live")).status,
  );
  expect(statuses.join()).toBe(
    "200,200,200,200,200,429,429,429,429,200,429,429,429,200,403,400,200,204,400,404,200",
  );
  await Promise.all([flush(), other.flush()]);
  expect(await requestsOf(gateways)).toEqual({
    "GET /api/* allowed allowed": 5,
    "GET /api/* denied limited": 1,
    "GET /api/* denied cached-denial": 5,
    "* /big allowed allowed": 1,
    "* /big denied cached-denial": 1,
    "GET /api/* exempt list": 1,
    "none blocked list": 1,
    "* /pay/* refused identity": 1,
    "none passed no-rule": 1,
    "none passed preflight": 1,
    "none refused path": 1,
    "none refused not-found": 1,
  });
  expect(gateways.origin.seen).toHaveLength(8);
});

test("a denial is counted under the rule of the policy that denies", async () => {
  const gateways = await meteredGateways([
    { path: "/api/*", policies: [quota("api", 100)] },
    { path: "/api/rides", policies: [quota("rides", 1)] },
  ]);
  const { ask, flush } = gateways.open();
  for (let i = 0; i < 2; i++) await ask("/api/rides");
  await flush();
  expect(await requestsOf(gateways)).toEqual({
    "* /api/* allowed allowed": 1,
    "* /api/rides denied cached-denial": 1,
  });
});

test("each policy that took part is counted, also one in shadow", async () => {
  const shadow = { ...quota("next", 1), mode: "shadow" };
  const gateways = await meteredGateways([{ path: "/*", policies: [quota("all", 4), shadow] }]);
  const { ask, flush } = gateways.open();
  for (let i = 0; i < 4; i++) await ask("/x");
  // The first isolate knows the denial, and answers for the policies that deny alone.
  const other = gateways.open();
  await other.ask("/x");
  await Promise.all([flush(), other.flush()]);
  const { evaluations, utilization } = await gateways.reader.total();
  expect(
    evaluations
      .map(({ policy, mode, result, count }) => `${policy} ${mode} ${result} ${count}`)
      .sort(),
  ).toEqual([
    "all enforce allowed 4",
    "all enforce denied 1",
    "next shadow allowed 1",
    "next shadow denied 4",
  ]);
  // After 1, 2, 3 and 4 units, and once denied.
  expect(utilization.get("all")).toEqual({ buckets: [1, 1, 1, 2], sum: 3.5 });
});

test("isolates add up, and parallel requests are all counted", async () => {
  const gateways = await meteredGateways([{ path: "/*", policies: [quota("all", 50)] }]);
  const isolates = [gateways.open(), gateways.open(), gateways.open()];
  const statuses = await Promise.all(
    Array.from({ length: 240 }, async (_, i) => (await isolates[i % 3]!.ask("/x")).status),
  );
  await Promise.all(isolates.map(({ flush }) => flush()));
  const found = await requestsOf(gateways);
  const denied = Object.entries(found).filter(([name]) => name.includes("denied"));
  expect(found["* /* allowed allowed"]).toBe(50);
  expect(denied.reduce((sum, [, count]) => sum + count, 0)).toBe(190);
  expect(statuses.filter((status) => status === 200)).toHaveLength(50);
});

test("requests before and after a live change are counted under the rules that decided them", async () => {
  const gateways = await meteredGateways([API]);
  const { ask, flush, administered } = gateways.open();
  for (let i = 0; i < 3; i++) await ask("/api/x");
  await gateways.publish({ rules: [{ path: "/v2/*", policies: [quota("v2", 1)] }] });
  await administered.refresh();
  for (let i = 0; i < 2; i++) await ask("/v2/x");
  await ask("/api/x");
  await flush();
  expect(await requestsOf(gateways)).toEqual({
    "GET /api/* allowed allowed": 3,
    "* /v2/* allowed allowed": 1,
    "* /v2/* denied cached-denial": 1,
    "none passed no-rule": 1,
  });
  expect(await administered.gauges()).toEqual({
    policies: [{ name: "v2", limit: 1, windowSeconds: 2_592_000 }],
    isBreakerOpen: false,
    isPublished: true,
    isRestored: false,
    ahead: [],
    version: 1,
  });
});

test.each([
  [{ ADMIN_TOKEN: undefined }, false],
  [{ ADMIN_TOKEN: undefined, METRICS: "on" }, true],
  [{ ADMIN_TOKEN: undefined, READ_TOKEN: ADMIN_TOKEN }, true],
  [{ METRICS: "off" }, false],
  [{}, true],
])("with %o, whether requests are counted is %s", (variables, isOn) => {
  const { recorder } = readConfig(
    {
      ORIGIN: "https://origin.example.com",
      UPSTASH_REDIS_REST_URL: "https://redis.example.com",
      UPSTASH_REDIS_REST_TOKEN: "t",
      CLIENT_IP: "cloudflare",
      RULES: [API],
      ADMIN_TOKEN,
      ...variables,
    },
    { metrics },
  );
  expect(recorder !== undefined).toBe(isOn);
});

test("counting over memory is refused: the counts of isolates would not be added up", () => {
  const variables = { ORIGIN: "https://origin.example.com", STORE: "memory", METRICS: "on" };
  const read = () => readConfig({ ...variables, CLIENT_IP: "cloudflare", RULES: [API] }, {});
  expect(read).toThrow(/METRICS: "on": Leave it out/);
});
