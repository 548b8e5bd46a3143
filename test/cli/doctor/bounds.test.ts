import { once } from "node:events";
import type { RequestListener } from "node:http";
import { connect, createServer, type AddressInfo } from "node:net";

import { expect, inject, onTestFinished, test } from "vitest";

import { checkGatewayClock } from "../../../packages/cli/src/doctor/checks/clock.ts";
import {
  checkCache,
  checkRetryAfter,
} from "../../../packages/cli/src/doctor/checks/limited-path.ts";
import { checkLatency } from "../../../packages/cli/src/doctor/checks/redis-reach.ts";
import { checkReplication } from "../../../packages/cli/src/doctor/checks/replication.ts";
import { checkSameRedis } from "../../../packages/cli/src/doctor/checks/same-redis.ts";
import {
  checkIdleTimeout,
  checkKeyspace,
} from "../../../packages/cli/src/doctor/checks/sharing.ts";
import type { Finding } from "../../../packages/cli/src/doctor/finding.ts";
import type { GatewayFacts } from "../../../packages/cli/src/doctor/gather/gateway-facts.ts";
import type { RedisFacts } from "../../../packages/cli/src/doctor/gather/redis-facts.ts";
import { runDoctor } from "../../../packages/cli/src/doctor/run-doctor.ts";
import { startOrigin } from "../../support/gateway/gateway.ts";

const REDIS: RedisFacts = {
  through: "redis",
  address: new URL("redis://127.0.0.1"),
  roundTripsMs: [1],
  config: new Map(),
};

const idsOf = (found: Finding | undefined | readonly Finding[]) =>
  [found ?? []].flat().map(({ id }) => id);

test.each([
  // Up to five of a hundred are above the 95th percentile, and one above the 99th.
  [5, 300, ["redis-slow"]],
  [6, 250, ["redis-too-slow"]],
  [6, 249, ["redis-slow"]],
  [1, 300, []],
  [2, 125, ["redis-slow"]],
  [2, 124, []],
])("%i of a hundred round trips take %i ms, with a timeout of 250 ms", (slow, ms, ids) => {
  const roundTripsMs = Array.from({ length: 100 }, (_, i) => (i < slow ? ms : 1));
  expect(idsOf(checkLatency({ ...REDIS, roundTripsMs }, 250))).toEqual(ids);
});

test.each([
  [0, 2 ** 20, []],
  [0, 2 ** 20 + 1, ["replica-lags"]],
  [2, 0, []],
  [3, 0, ["replica-lags"]],
])("a replica that was heard of %i s ago and is %i bytes behind", (lag, behind, ids) => {
  const info = new Map([
    ["role", "master"],
    ["master_repl_offset", `${5_000_000}`],
    ["slave0", `ip=10.0.0.2,port=6379,state=online,offset=${5_000_000 - behind},lag=${lag}`],
  ]);
  expect(idsOf(checkReplication({ ...REDIS, info }))).toEqual(ids);
  // One that is still loading has no lag yet.
  const loading = info.get("slave0")!.replace("online", "wait_bgsave");
  expect(checkReplication({ ...REDIS, info: new Map([...info, ["slave0", loading]]) })).toEqual([]);
});

test.each([
  ["0", []],
  ["1", ["idle-timeout"]],
  ["59", ["idle-timeout"]],
  ["60", []],
])("connections that Redis closes after %s s", (seconds, ids) => {
  const config = new Map([["timeout", seconds]]);
  expect(idsOf(checkIdleTimeout({ ...REDIS, config }))).toEqual(ids);
});

test.each([
  [9, 9, []],
  [10, 2, []],
  [10, 3, ["redis-shared"]],
])("of %i keys %i are foreign", (sampled, foreign, ids) => {
  expect(idsOf(checkKeyspace({ ...REDIS, keys: { sampled, foreign, inTwoLayouts: [] } }))).toEqual(
    ids,
  );
});

/** An answer of a gateway whose field Date is this, and that was asked for and came at these moments. */
function answered(date: string, sentAtMs: number, receivedAtMs: number, body: object = {}) {
  const fields = new Map([["date", date]]);
  return { status: 200, fields, body: JSON.stringify(body), sentAtMs, receivedAtMs };
}

const NOTHING = answered("", 0, 0);
const GATEWAY: GatewayFacts = {
  url: new URL("http://127.0.0.1"),
  path: "/",
  live: NOTHING,
  health: NOTHING,
  admin: NOTHING,
  limited: [],
  headers: [],
  spellings: [],
  hostile: [],
};

const DATE = "Wed, 01 Jan 2031 09:00:00 GMT";

test.each([
  // The field has whole seconds: the clock may have shown up to 999 ms more.
  [2_999, 0, []],
  [3_000, 0, ["gateway-clock"]],
  [-2_000, 0, []],
  [-2_001, 0, ["gateway-clock"]],
  [-60_000, 59_000, []],
])("a Date that our clock is %i ms past when it asks, for %i ms", (pastMs, tookMs, ids) => {
  const sentAtMs = Date.parse(DATE) + pastMs;
  const live = answered(DATE, sentAtMs, sentAtMs + tookMs);
  expect(idsOf(checkGatewayClock({ ...GATEWAY, live }))).toEqual(ids);
});

test.each([
  ["ok", ["another-redis"]],
  ["degraded", ["another-redis"]],
  ["store-unavailable", []],
])("a gateway that is %s and counts in a Redis of another version", (status, ids) => {
  const health = answered(DATE, 0, 0, { status, store: "redis", version: "7.2.0" });
  const redis = { ...REDIS, version: "7.4.0" };
  expect(idsOf(checkSameRedis({ ...GATEWAY, health }, redis))).toEqual(ids);
});

test.each([
  ["public", ["cacheable"]],
  ["max-age=60, s-maxage=60", ["cacheable"]],
  ["public, no-cache", []],
  ["public, no-store", []],
  ["private, s-maxage=60", []],
  ["max-age=60", []],
  ["s-maxage=0", []],
])("answers of a limited path with Cache-Control: %s", (control, ids) => {
  const fields = new Map([
    ["ratelimit", '"all";r=8;t=1'],
    ["cache-control", control],
  ]);
  expect(idsOf(checkCache({ ...GATEWAY, limited: [{ ...NOTHING, fields }] }))).toEqual(ids);
});

test.each(["same", "others"])("a denial without Retry-After among the %s of a probe", (which) => {
  const bare = [{ ...NOTHING, status: 429, fields: new Map<string, string>() }];
  const probe = { header: "x-user-id", isAddress: false, same: [], others: [], [which]: bare };
  expect(idsOf(checkRetryAfter({ ...GATEWAY, headers: [probe] }))).toEqual(["no-retry-after"]);
});

/** A way to the Redis of this run, and how many connections are open on it. */
async function startWay() {
  const { hostname, port } = new URL(inject("redisUrl"));
  const way = createServer((client) => {
    const server = connect(Number(port), hostname);
    client.pipe(server).pipe(client);
    client.on("error", () => server.destroy());
    server.on("error", () => client.destroy());
    client.on("close", () => server.destroy());
  });
  way.listen(0, "127.0.0.1");
  await once(way, "listening");
  onTestFinished(() => void way.close());
  let opened = 0;
  way.on("connection", () => opened++);
  return {
    url: `redis://127.0.0.1:${(way.address() as AddressInfo).port}`,
    opened: () => opened,
    open: () =>
      new Promise<number>((resolve, reject) =>
        way.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
  };
}

test.each([
  ["alone", {}],
  ["beside a REST API", { rest: { url: inject("redisRestUrl"), token: inject("redisRestToken") } }],
  ["beside a REST API that is away", { rest: { url: "http://127.0.0.1:1", token: "test" } }],
])("the doctor closes its connection to a Redis that it asks %s", async (_, options) => {
  const way = await startWay();
  await runDoctor({ ...options, redisUrl: way.url, pings: 1 });
  expect(way.opened()).toBe(1);
  await expect.poll(way.open).toBe(0);
});

/** What the doctor says of a REST API that answers like this. */
async function diagnose(answer: RequestListener) {
  const { url } = await startOrigin(answer);
  return runDoctor({ rest: { url, token: "test" }, pings: 1 });
}

test("a REST API that sends without an end is left, and is a finding", async () => {
  let sent = 0;
  const closed: Promise<unknown>[] = [];
  const { findings } = await diagnose((_, response) => {
    closed.push(once(response, "close"));
    response.writeHead(200, { "content-type": "application/json" });
    const chunk = Buffer.alloc(1_000_000, " ");
    const more = () => {
      sent++;
      if (!response.destroyed) response.write(chunk, more);
    };
    more();
  });
  const found = findings.find(({ id }) => id === "redis-unreachable");
  expect(found?.evidence).toContain("more than 8000000 bytes");
  await Promise.all(closed);
  expect(closed).toHaveLength(1);
  // The content of both sides' buffers comes on top.
  expect(sent).toBeLessThan(30);
});

test.each([
  ["PONG to everything", '"PONG"', undefined],
  ["lists instead of texts", "[[]]", "it answers PING as no Redis does"],
  [
    "lists without end",
    `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
    "its body is nested too deep",
  ],
])("a REST API that answers %s is a finding and no crash", async (_, answer, reason) => {
  const { findings } = await diagnose((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(`{"result":${answer}}`);
  });
  const found = findings.find(({ id }) => id === "redis-unreachable");
  if (reason === undefined) expect(found).toBeUndefined();
  else expect(found?.evidence).toContain(reason);
});

test("entries of a slow log or a scan that no Redis writes are left out", async () => {
  const replies: Record<string, unknown> = {
    PING: "PONG",
    // In microseconds: three scripts that took 49.999 ms are not slow.
    SLOWLOG: [
      [1],
      "x",
      null,
      ...Array.from({ length: 3 }, (_, i) => [i, 2, 49_999, ["eval", "k"]]),
    ],
    SCAN: ["0"],
  };
  const { observations, findings } = await diagnose(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const [name] = JSON.parse(body) as [string];
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ result: replies[name] ?? "OK" }));
  });
  expect(findings.map(({ id }) => id)).not.toContain("slow-scripts");
  const seen = new Map(observations.map(({ name, value }) => [name, value]));
  expect([seen.get("slow log"), seen.get("keys looked at")]).toEqual(["3 entries", "not known"]);
});
