import { expect, test } from "vitest";

import {
  exitCodeOf,
  type Finding,
  sortFindings,
} from "../../../packages/cli/src/doctor/finding.ts";
import type { GatewayFacts } from "../../../packages/cli/src/doctor/gather/gateway-facts.ts";
import type { HttpAnswer } from "../../../packages/cli/src/doctor/gather/http.ts";
import type {
  RedisFacts,
  UnreachableRedis,
} from "../../../packages/cli/src/doctor/gather/redis-facts.ts";
import { type Facts, judge } from "../../../packages/cli/src/doctor/judge.ts";

/* Facts that cannot be planted on a machine without a network, or that Redis takes minutes to reach. */

const sound: RedisFacts = {
  through: "rest",
  address: new URL("https://name.upstash.io"),
  roundTripsMs: [1, 2, 3],
  decision: { ok: true },
  version: "7.2.4",
  config: new Map(),
};

function ids(facts: Facts, keyspaceBytes?: number): string[] {
  return judge(facts, { timeoutMs: 250, keyspaceBytes }).map(
    ({ severity, id }) => `${severity} ${id}`,
  );
}

test("a Redis of which nothing more is known is sound", () => {
  expect(ids({ redis: sound })).toEqual([]);
  expect(ids({})).toEqual([]);
});

test.for<[words: string, id: string]>([
  ["LOADING Redis is loading the dataset in memory", "redis-loading"],
  ["MISCONF Redis is configured to save RDB snapshots, but it's unable to", "redis-cannot-save"],
  [
    "ERR Error running script: @user_script: 1: -MISCONF Redis is configured to",
    "redis-cannot-save",
  ],
  ["READONLY You can't write against a read only replica.", "redis-is-replica"],
  ["NOREPLICAS Not enough good replicas to write.", "too-few-replicas"],
  ["CLUSTERDOWN Hash slot not served", "cluster-down"],
  ["ERR unknown command 'EVALSHA'", "command-refused"],
  ["ERR something that nobody has seen", "decision-fails"],
])("a decision answered %s is %s", ([error, id]) => {
  expect(ids({ redis: { ...sound, decision: { ok: false, error } } })).toEqual([`error ${id}`]);
});

test("a node of a cluster that holds other keys is not at fault", () => {
  const decision = { ok: false, error: "MOVED 1234 10.0.0.2:6379" } as const;
  expect(ids({ redis: { ...sound, decision } })).toEqual([]);
});

test.for<[UnreachableRedis["through"], string, string[]]>([
  ["rest", "http://redis.internal:8079", ["warning redis-without-tls"]],
  ["rest", "http://127.0.0.1:8079", []],
  ["rest", "http://[::1]:8079", []],
  ["redis", "redis://redis.internal", ["note redis-without-tls"]],
  ["redis", "rediss://redis.internal", []],
])("%s at %s: %s", ([through, address, found]) => {
  expect(ids({ redis: { ...sound, through, address: new URL(address) } })).toEqual(found);
});

test("a gateway without TLS is found, even if it does not answer, and not on loopback", () => {
  const at = (url: string) => ids({ gateway: { url: new URL(url), reason: "ECONNREFUSED" } });
  expect(at("http://api.example.com")).toEqual([
    "error gateway-unreachable",
    "warning gateway-without-tls",
  ]);
  expect(at("https://api.example.com")).toEqual(["error gateway-unreachable"]);
  expect(at("http://localhost:8787")).toEqual(["error gateway-unreachable"]);
});

test.for<[string, boolean]>([
  ["6.0.16", true],
  ["6.1.240", true],
  ["5.0.14", true],
  ["6.2.0", false],
  ["7.0.0", false],
  ["7.0.15", false],
  ["10.0.0", false],
  ["unheard of", false],
])("version %s is too old: %s", ([version, tooOld]) => {
  expect(ids({ redis: { ...sound, version } })).toEqual(tooOld ? ["error redis-too-old"] : []);
});

test.for<[aheadMs: number, found: string[]]>([
  [2_000, []],
  [2_001, ["warning redis-clock"]],
  [-2_000, []],
  [-2_001, ["warning redis-clock"]],
])("Redis's clock is %d ms ahead, by an answer that took 100 ms: %s", ([aheadMs, found]) => {
  const timeMs = aheadMs > 0 ? 1_100 + aheadMs : 1_000 + aheadMs;
  const clock = { sentAtMs: 1_000, receivedAtMs: 1_100, earliestMs: timeMs, latestMs: timeMs };
  expect(ids({ redis: { ...sound, clock } })).toEqual(found);
});

const answered = (body: string, fields: Readonly<Record<string, string>> = {}): HttpAnswer => ({
  status: 200,
  fields: new Map(Object.entries(fields)),
  body,
  sentAtMs: 0,
  receivedAtMs: 0,
});
const left = (r: number) => answered("", { ratelimit: `"api";r=${r};t=60` });

const soundGateway: GatewayFacts = {
  url: new URL("https://api.example.com"),
  path: "/",
  live: answered('{"status":"ok"}'),
  health: answered('{"status":"ok","store":"redis","breaker":"closed"}'),
  admin: { ...answered(""), status: 404 },
  limited: [left(99), left(98)],
  headers: [],
  spellings: [],
  hostile: [],
};

test.for<[same: number[], others: number[], found: string[]]>([
  [[99, 98, 97], [99, 99], ["warning identity-spoofable"]],
  [[99, 98, 97], [96, 95], []],
  // After a pause, a bucket is full again for one of them.
  [[99, 98, 97], [99, 98], []],
  [[99, 98, 97], [98, 99], []],
  // It refills faster than it is asked.
  [[99, 99, 99], [99, 99], []],
])("of one identity %j are left, of two others %j: %j", ([same, others, found]) => {
  const header = "x-user-id";
  const probe = { header, isAddress: false, same: same.map(left), others: others.map(left) };
  expect(ids({ gateway: { ...soundGateway, headers: [probe] } })).toEqual(found);
});

test.for<[url: string, found: string]>([
  ["https://api.example.com", "error address-spoofable:x-real-ip"],
  ["http://127.0.0.1:8787", "note address-spoofable:x-real-ip"],
])("a client of %s that can choose its address: %s", ([url, found]) => {
  const header = "x-real-ip";
  const probe = { header, isAddress: true, same: [99, 98, 97].map(left), others: [left(99)] };
  const gateway: GatewayFacts = { ...soundGateway, url: new URL(url), headers: [probe] };
  expect(ids({ gateway })).toContain(found);
});

test("evicted scripts are found, which only Redis 7.4 has", () => {
  const info = new Map([["evicted_scripts", "1"]]);
  expect(ids({ redis: { ...sound, info } })).toEqual(["warning script-cache"]);
});

test.for<[bytes: number, found: string[]]>([
  [78 * 2 ** 20, []],
  [79 * 2 ** 20, ["warning maxmemory-small"]],
])("keys of %d bytes, of which a quarter more and 2 MiB must fit into 100 MiB: %s", (row) => {
  const [bytes, found] = row;
  const info = new Map([
    ["used_memory", "1000000"],
    ["maxmemory", `${100 * 2 ** 20}`],
    ["maxmemory_policy", "noeviction"],
  ]);
  expect(ids({ redis: { ...sound, info } }, bytes)).toEqual(found);
});

const finding = (severity: Finding["severity"], id: string): Finding => {
  return { id, severity, title: "", evidence: "", remedy: "" };
};

test("the worst finding comes first, and each once", () => {
  const found = [finding("note", "a"), finding("error", "b"), finding("warning", "c")];
  const sorted = sortFindings([...found, finding("error", "a"), finding("error", "d")]);
  expect(sorted.map(({ id }) => id)).toEqual(["b", "d", "c", "a"]);
});

test("a note alone is no failure", () => {
  const codeOf = (...findings: Finding[]) => exitCodeOf({ findings, observations: [] });
  expect(codeOf()).toBe(0);
  expect(codeOf(finding("note", "a"))).toBe(0);
  expect(codeOf(finding("note", "a"), finding("warning", "b"))).toBe(1);
  expect(codeOf(finding("error", "a"))).toBe(1);
});
