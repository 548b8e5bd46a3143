import { describe, expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { segmentedWindow } from "../../src/algorithms/segmented-window.ts";
import { slidingWindowCounter } from "../../src/algorithms/sliding-window-counter.ts";
import { slidingWindowLog } from "../../src/algorithms/sliding-window-log.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import { createGateway } from "../../src/gateway/gateway.ts";
import { rateLimit } from "../../src/hono.ts";
import { ConfigurationError, createLimiter, memoryStore } from "../../src/index.ts";
import type { LimiterOptions, Policy } from "../../src/index.ts";

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
const options = (changes: Partial<LimiterOptions>) => () =>
  createLimiter({ store: memoryStore(), policies: [one], ...changes });
const policies = (...list: Policy[]) => options({ policies: list });
const redis = { url: "https://redis.example", token: "t" };
const named = (length: number) => fixedWindow({ name: "n".repeat(length), limit: 1, window });
const many = (count: number) =>
  Array.from({ length: count }, (_, i) => fixedWindow({ name: `p${i}`, limit: 1, window }));
const failures = (status: number[]) => () =>
  rateLimit({
    store: memoryStore(),
    policies: [fixedWindow({ limit: 1, window, counts: "failures", when: { status } })],
    clientIp: "cloudflare",
  });
const statuses = (count: number) => Array.from({ length: count }, (_, i) => 400 + i);
const notified = (notify: number[]) =>
  options({ policies: [fixedWindow({ limit: 1, window, notify })], onNotice: () => {} });
const shares = (count: number) => Array.from({ length: count }, (_, i) => (i + 1) / 10);

const rule = {
  path: "/a",
  policies: [{ algorithm: "fixed-window", name: "p", limit: 5, window: "1m" }],
};
const gateway = (changes: object) => () =>
  createGateway({
    ORIGIN: "https://origin.example",
    STORE: "memory",
    CLIENT_IP: "cloudflare",
    RULES: [rule],
    ...changes,
  });
const origin = (length: number) => ({ ORIGIN: "https://origin.example/".padEnd(length, "x") });

/** A value just within a bound, one just beyond it, and the place of the fault. */
test.for<[what: string, within: () => unknown, beyond: () => unknown, path: string]>([
  [
    "a limit",
    policies(segmentedWindow({ limit: 1e9, window })),
    policies(segmentedWindow({ limit: 1e9 + 1, window })),
    "policies[0].limit",
  ],
  [
    "a budget",
    policies(fixedWindow({ limit: 2 ** 53 - 1, window })),
    policies(fixedWindow({ limit: 2 ** 53, window })),
    "policies[0].limit",
  ],
  [
    "the limit of a log",
    policies(slidingWindowLog({ limit: 100_000, window })),
    policies(slidingWindowLog({ limit: 100_001, window })),
    "policies[0].limit",
  ],
  [
    "the limit of a counter",
    policies(slidingWindowCounter({ limit: 1e9, window })),
    policies(slidingWindowCounter({ limit: 1e9 + 1, window })),
    "policies[0].limit",
  ],
  [
    "a short window",
    policies(fixedWindow({ limit: 1, window: "1ms" })),
    policies(fixedWindow({ limit: 1, window: "0.999ms" })),
    "policies[0].window",
  ],
  [
    "a long window",
    policies(fixedWindow({ limit: 1, window: "366d" })),
    policies(fixedWindow({ limit: 1, window: "366.001d" })),
    "policies[0].window",
  ],
  [
    "segments",
    policies(segmentedWindow({ limit: 1, window, segments: 60 })),
    policies(segmentedWindow({ limit: 1, window, segments: 61 })),
    "policies[0].segments",
  ],
  [
    "a refill",
    policies(tokenBucket({ limit: 1, refill: 1e9, per: "1s" })),
    policies(tokenBucket({ limit: 1, refill: 1e9 + 1, per: "1s" })),
    "policies[0].refill",
  ],
  [
    "a bucket's time",
    policies(tokenBucket({ limit: 366, refill: 1, per: "1d" })),
    policies(tokenBucket({ limit: 367, refill: 1, per: "1d" })),
    "policies[0].limit",
  ],
  ["policies", policies(...many(16)), policies(...many(17)), "policies"],
  ["a name", policies(named(64)), policies(named(65)), "policies[0].name"],
  ["a prefix", options({ prefix: "p".repeat(64) }), options({ prefix: "p".repeat(65) }), "prefix"],
  [
    "a small cache",
    options({ denialCache: { maxEntries: 1 } }),
    options({ denialCache: { maxEntries: 0 } }),
    "denialCache",
  ],
  [
    "a large cache",
    options({ denialCache: { maxEntries: 1_000_000 } }),
    options({ denialCache: { maxEntries: 1_000_001 } }),
    "denialCache",
  ],
  ["a short timeout", options({ timeout: "1ms" }), options({ timeout: "0.999ms" }), "timeout"],
  ["a long timeout", options({ timeout: "60s" }), options({ timeout: "60001ms" }), "timeout"],
  ["a short lease", options({ lease: "10ms" }), options({ lease: "9.999ms" }), "lease"],
  ["a long lease", options({ lease: "10s" }), options({ lease: "10001ms" }), "lease"],
  [
    "a lease of a window",
    options({ lease: "100ms", policies: [slidingWindowLog({ limit: 9, window: "1s" })] }),
    options({ lease: "101ms", policies: [slidingWindowLog({ limit: 9, window: "1s" })] }),
    "lease",
  ],
  [
    "a lease of a bucket",
    options({ lease: "40ms", policies: [tokenBucket({ limit: 9, refill: 100, per: "1s" })] }),
    options({ lease: "41ms", policies: [tokenBucket({ limit: 9, refill: 100, per: "1s" })] }),
    "lease",
  ],
  [
    "a lease of a calendar",
    options({ lease: "10s", policies: [fixedWindow({ limit: 9, window: "hour" })] }),
    options({ lease: "10001ms", policies: [fixedWindow({ limit: 9, window: "hour" })] }),
    "lease",
  ],
  [
    "a short list of failures",
    failures(statuses(1)),
    failures(statuses(0)),
    "policies[0].when.status",
  ],
  [
    "a long list of failures",
    failures(statuses(32)),
    failures(statuses(33)),
    "policies[0].when.status",
  ],
  ["a low status", failures([100]), failures([99]), "policies[0].when.status[0]"],
  ["a high status", failures([599]), failures([600]), "policies[0].when.status[0]"],
  ["shares", notified(shares(8)), notified(shares(9)), "policies[0].notify"],
  ["a share", notified([1]), notified([1.001]), "policies[0].notify[0]"],
  [
    "a rule's cost",
    gateway({ RULES: [{ ...rule, cost: 5 }] }),
    gateway({ RULES: [{ ...rule, cost: 6 }] }),
    "RULES[0].cost",
  ],
  [
    "a method",
    gateway({ RULES: [{ ...rule, method: "M".repeat(20) }] }),
    gateway({ RULES: [{ ...rule, method: "M".repeat(21) }] }),
    "RULES[0].method",
  ],
  ["an origin", gateway(origin(2_048)), gateway(origin(2_049)), "ORIGIN"],
  [
    "few hops",
    gateway({ CLIENT_IP: { trustedHops: 1 } }),
    gateway({ CLIENT_IP: { trustedHops: 0 } }),
    "CLIENT_IP",
  ],
  [
    "many hops",
    gateway({ CLIENT_IP: { trustedHops: 32 } }),
    gateway({ CLIENT_IP: { trustedHops: 33 } }),
    "CLIENT_IP",
  ],
  ["TIMEOUT at least", gateway({ TIMEOUT: "1ms" }), gateway({ TIMEOUT: "0.999ms" }), "TIMEOUT"],
  ["TIMEOUT at most", gateway({ TIMEOUT: "60s" }), gateway({ TIMEOUT: "60001ms" }), "TIMEOUT"],
])("%s has its bound, and is taken up to there", ([, within, beyond, path]) => {
  expect(faultsOf(within)).toEqual([]);
  expect(faultsOf(beyond)).toEqual([path]);
});

describe("a token", () => {
  const faults = (token: string) =>
    faultsOf(() => createLimiter({ policies: [one], redis: { ...redis, token } }));

  test("is of every printable character of ASCII, and of no other", () => {
    for (let code = 0; code < 0x180; code++) {
      const sound = code > 0x20 && code < 0x7f;
      expect([code, faults(`a${String.fromCharCode(code)}b`)]).toEqual([
        code,
        sound ? [] : ["redis.token"],
      ]);
    }
  });
});
