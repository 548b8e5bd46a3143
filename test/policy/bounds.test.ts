import { expect, test } from "vitest";

import { createGateway } from "../../src/gateway/gateway.ts";
import { rateLimit } from "../../src/hono.ts";
import * as tidegate from "../../src/index.ts";
import { fixedWindow, type FixedWindowOptions } from "../support/limiter/plain.ts";
import { segmentedWindow } from "../support/limiter/plain.ts";
import { slidingWindowCounter } from "../support/limiter/plain.ts";
import { slidingWindowLog } from "../support/limiter/plain.ts";
import { tokenBucket } from "../support/limiter/plain.ts";
import { ConfigurationError, createLimiter, memoryStore } from "../support/limiter/plain.ts";
import type { CreateLimiterOptions, Duration, Policy } from "../support/limiter/plain.ts";

/** The paths of the faults. */
function faultsOf(make: () => unknown): readonly string[] {
  try {
    make();
  } catch (error) {
    return (error as ConfigurationError).faults.map(({ path }) => path);
  }
  return [];
}

const window = "1m";
const one = fixedWindow({ limit: 10, window });
const limiter = (changes: Partial<CreateLimiterOptions>) =>
  createLimiter({ store: memoryStore(), policies: [one], ...changes });
const policies = (...list: Policy[]) => limiter({ policies: list });
const leased = (policy: Policy) => (lease: Duration) => limiter({ lease, policies: [policy] });
const listOf = <T>(length: number, item: (index: number) => T) =>
  Array.from({ length }, (_, index) => item(index));
const limited = (options: Partial<FixedWindowOptions>) =>
  policies(fixedWindow({ limit: 1, window, ...options }));
const named = (index: number) => fixedWindow({ name: `p${index}`, limit: 1, window });
const failures = (status: number[]) =>
  rateLimit({
    store: memoryStore(),
    policies: [tidegate.fixedWindow({ limit: 1, window, counts: tidegate.failures({ status }) })],
    clientIp: "cloudflare",
  });
const notified = (notify: number[]) =>
  limiter({ policies: [fixedWindow({ limit: 1, window, notify })], onNotice: () => {} });
const gateway = (changes: object) =>
  createGateway({
    ORIGIN: "https://origin.example",
    STORE: "memory",
    CLIENT_IP: "cloudflare",
    RULES: [rule],
    ...changes,
  });
const rule = {
  path: "/a",
  policies: [{ algorithm: "fixed-window", name: "p", limit: 5, window }],
};

/** The place of the fault, what takes a value, a value just within its bound, and one just beyond it. */
const bound = <const T>(path: string, take: (value: T) => unknown, within: T, beyond: T) => ({
  path,
  takes: { within: () => take(within), beyond: () => take(beyond) },
  within,
  beyond,
});

test.for([
  bound("policies[0].limit", (limit) => policies(segmentedWindow({ limit, window })), 1e9, 1e9 + 1),
  bound("policies[0].limit", (limit) => limited({ limit }), 2 ** 53 - 1, 2 ** 53),
  bound(
    "policies[0].limit",
    (limit) => policies(slidingWindowLog({ limit, window })),
    100_000,
    100_001,
  ),
  bound(
    "policies[0].limit",
    (limit) => policies(slidingWindowCounter({ limit, window })),
    1e9,
    1e9 + 1,
  ),
  bound("policies[0].window", (window) => limited({ window }), "1ms", "0.999ms"),
  bound("policies[0].window", (window) => limited({ window }), "366d", "366.001d"),
  bound(
    "policies[0].segments",
    (segments) => policies(segmentedWindow({ limit: 1, window, segments })),
    60,
    61,
  ),
  bound(
    "policies[0].refill",
    (refill) => policies(tokenBucket({ limit: 1, refill, per: "1s" })),
    1e9,
    1e9 + 1,
  ),
  // The time to refill a bucket.
  bound(
    "policies[0].limit",
    (limit) => policies(tokenBucket({ limit, refill: 1, per: "1d" })),
    366,
    367,
  ),
  bound("policies", (count) => policies(...listOf(count, named)), 16, 17),
  bound("policies[0].name", (length) => limited({ name: "n".repeat(length) }), 64, 65),
  bound("prefix", (length) => limiter({ prefix: "p".repeat(length) }), 64, 65),
  bound("denialCache", (maxEntries) => limiter({ denialCache: { maxEntries } }), 1, 0),
  bound(
    "denialCache",
    (maxEntries) => limiter({ denialCache: { maxEntries } }),
    1_000_000,
    1_000_001,
  ),
  bound("timeout", (timeout) => limiter({ timeout }), "1ms", "0.999ms"),
  bound("timeout", (timeout) => limiter({ timeout }), "60s", "60001ms"),
  bound("lease", (lease) => limiter({ lease }), "10ms", "9.999ms"),
  bound("lease", (lease) => limiter({ lease }), "10s", "10001ms"),
  bound("lease", leased(slidingWindowLog({ limit: 9, window: "1s" })), "100ms", "101ms"),
  bound("lease", leased(tokenBucket({ limit: 9, refill: 100, per: "1s" })), "40ms", "41ms"),
  bound("lease", leased(fixedWindow({ limit: 9, window: "hour" })), "10s", "10001ms"),
  bound("policies[0].when.status", (count) => failures(listOf(count, (i) => 400 + i)), 1, 0),
  bound("policies[0].when.status", (count) => failures(listOf(count, (i) => 400 + i)), 32, 33),
  bound("policies[0].when.status[0]", (status) => failures([status]), 100, 99),
  bound("policies[0].when.status[0]", (status) => failures([status]), 599, 600),
  bound("policies[0].notify", (count) => notified(listOf(count, (i) => (i + 1) / 10)), 8, 9),
  bound("policies[0].notify[0]", (share) => notified([share]), 1, 1.001),
  bound("RULES[0].cost", (cost) => gateway({ RULES: [{ ...rule, cost }] }), 5, 6),
  bound(
    "RULES[0].method",
    (length) => gateway({ RULES: [{ ...rule, method: "M".repeat(length) }] }),
    20,
    21,
  ),
  bound(
    "ORIGIN",
    (length) => gateway({ ORIGIN: "https://origin.example/".padEnd(length, "x") }),
    2_048,
    2_049,
  ),
  bound("CLIENT_IP", (trustedHops) => gateway({ CLIENT_IP: { trustedHops } }), 1, 0),
  bound("CLIENT_IP", (trustedHops) => gateway({ CLIENT_IP: { trustedHops } }), 32, 33),
  bound("TIMEOUT", (TIMEOUT) => gateway({ TIMEOUT }), "1ms", "0.999ms"),
  bound("TIMEOUT", (TIMEOUT) => gateway({ TIMEOUT }), "60s", "60001ms"),
])("$path takes $within, and not $beyond", ({ path, takes }) => {
  expect(faultsOf(takes.within)).toEqual([]);
  expect(faultsOf(takes.beyond)).toEqual([path]);
});

test("a token is of every printable character of ASCII, and of no other", () => {
  for (let code = 0; code < 0x180; code++) {
    const token = `a${String.fromCharCode(code)}b`;
    const redis = { url: "https://redis.example", token };
    expect([code, faultsOf(() => createLimiter({ policies: [one], redis }))]).toEqual([
      code,
      code > 0x20 && code < 0x7f ? [] : ["redis.token"],
    ]);
  }
});
