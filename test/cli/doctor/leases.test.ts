import { expect, test } from "vitest";

import { leasesIn } from "../../../packages/cli/src/check/in-wrangler-file.ts";
import type { RedisFacts } from "../../../packages/cli/src/doctor/gather/redis-facts.ts";
import { judge } from "../../../packages/cli/src/doctor/judge.ts";

const EXPECTED = { timeoutMs: 250, keyspaceBytes: undefined };

/** A Redis of which nothing is known but its distance. */
const at = (roundTripMs: number): RedisFacts => ({
  through: "rest",
  address: new URL("https://name.upstash.io"),
  roundTripsMs: [roundTripMs],
  decision: { ok: true },
  config: new Map(),
});

const bucket = (limit: number, more = 'lease = "auto"') =>
  `{ algorithm = "token-bucket", name = "api", limit = ${limit}, refill = 1000, per = "1s", ${more} }`;

const windowOf = (limit: number, window: string) =>
  `{ algorithm = "fixed-window", name = "api", limit = ${limit}, window = "${window}", lease = "auto" }`;

function found(policy: string, redis?: RedisFacts): string | undefined {
  const leases = leasesIn(
    "wrangler.toml",
    `[vars]\nORIGIN = "https://origin.example"\n\n[[vars.RULES]]\npath = "/*"\npolicies = [${policy}]\n`,
  );
  const [finding, ...others] = judge({ leases, redis }, EXPECTED);
  expect(others).toEqual([]);
  if (finding !== undefined) {
    expect(finding).toMatchObject({ id: "lease-saves-nothing", severity: "note" });
  }
  return finding?.evidence;
}

test("an automatic lease of a bucket that holds a second of refill is too short for a Redis 30 ms away", () => {
  expect(found(bucket(1_000), at(30))).toBe(
    "vars: api: a lease of 100 ms needs an answer within 25 ms, and half of the round trips from here take 30.0 ms or more",
  );
  expect(found(bucket(1_000), at(25))).toBeUndefined();
  expect(found(bucket(5_000), at(30))).toBeUndefined();
  // Nobody knows how far Redis is.
  expect(found(bucket(1_000))).toBeUndefined();
});

test("so is a lease with a length of its own", () => {
  expect(found(bucket(1_000, 'lease = "80ms"'), at(21))).toContain("a lease of 80 ms");
  expect(found(bucket(1_000, 'lease = "80ms"'), at(20))).toBeUndefined();
});

test("a policy that is too small for an automatic lease never has one", () => {
  expect(found(windowOf(31, "1h"))).toContain("is below 32 units");
  expect(found(windowOf(32, "1h"))).toBeUndefined();
  expect(found(bucket(32))).toContain("too short for a lease");
});

test("nothing is said of policies without a lease, and of files with faults", () => {
  expect(found(bucket(1_000, 'mode = "enforce"'), at(100))).toBeUndefined();
  expect(leasesIn("wrangler.toml", "[vars\n")).toEqual([]);
  expect(found(bucket(0), at(100))).toBeUndefined();
});

test("rules that read claims of tokens have their leases looked at, too", () => {
  const text = `[vars]
ORIGIN = "https://origin.example"
JWT = { jwks = "https://issuer.example/jwks.json" }

[[vars.RULES]]
path = "/*"
partition = ["jwt:sub"]
policies = [${windowOf(31, "1h")}]
`;
  expect(leasesIn("wrangler.toml", text)).toEqual([{ policy: "vars: api", never: "limit" }]);
});
