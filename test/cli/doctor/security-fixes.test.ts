import { expect, onTestFinished, test } from "vitest";

import type { RedisFacts } from "../../../packages/cli/src/doctor/gather/redis-facts.ts";
import { judge } from "../../../packages/cli/src/doctor/judge.ts";
import { observe } from "../../../packages/cli/src/doctor/observe.ts";
import { SECURITY_FIXES } from "../../../packages/cli/src/doctor/security-fixes.ts";
import { deployBridge, deployRedis, diagnose } from "../../support/cli/deployment.ts";
import { answers, none, startFaultProxy } from "../../support/fault-proxy.ts";

const EXPECTED = { timeoutMs: 250, keyspaceBytes: undefined };

function factsOf(fields: Readonly<Record<string, string>>, scriptsLocked?: boolean): RedisFacts {
  const info = new Map(Object.entries({ os: "Linux 6.1 x86_64", gcc_version: "12", ...fields }));
  return {
    through: "redis",
    address: new URL("rediss://redis.internal"),
    roundTripsMs: [1],
    decision: { ok: true },
    config: new Map(),
    info,
    ...(scriptsLocked !== undefined && { scriptsLocked }),
  };
}

const redis = (version: string) => ({ redis_version: version });
const valkey = (version: string) => ({ redis_version: "7.2.4", valkey_version: version });

function foundIn(facts: RedisFacts) {
  const [finding, ...others] = judge({ redis: facts }, EXPECTED).filter(
    ({ id }) => id !== "redis-too-old",
  );
  expect(others).toEqual([]);
  if (finding === undefined) return undefined;
  expect(finding).toMatchObject({ id: "redis-vulnerable", severity: "warning" });
  return {
    cves: finding.evidence.match(/CVE-\d+-\d+/g)!,
    install: /^Install (.+?) or later/.exec(finding.remedy)![1],
  };
}

/** Those that the mended versions have under their numbers. */
const SCRIPTS = ["CVE-2025-49844", "CVE-2025-46817", "CVE-2025-46818", "CVE-2025-46819"];

test.for<[string, Readonly<Record<string, string>>, string[], string]>([
  ["the last but one of its line", redis("7.2.15"), ["CVE-2026-81934"], "Redis 7.2.16"],
  ["8.8, which began with all but one", redis("8.8.1"), ["CVE-2026-81934"], "Redis 8.8.2"],
  [
    "6.2, which never had one of the faults",
    redis("6.2.21"),
    ["CVE-2026-25243", "CVE-2026-23631", "CVE-2026-66373", "CVE-2026-81934"],
    "Redis 6.2.24",
  ],
  ["Valkey, by its own number", valkey("9.1.3"), ["CVE-2026-130822"], "Valkey 9.1.4"],
])("%s", ([, fields, cves, install]) => {
  expect(foundIn(factsOf(fields))).toEqual({ cves, install });
});

test("the faults of scripts in 2024 are named with those that came later", () => {
  const all = ["CVE-2024-31449", "CVE-2024-46981", ...SCRIPTS];
  expect(foundIn(factsOf(redis("7.2.5")))!.cves).toEqual(expect.arrayContaining(all));
  expect(foundIn(factsOf(redis("7.2.6")))!.cves).not.toContain("CVE-2024-31449");
  expect(foundIn(factsOf(redis("7.2.6")))!.cves).toContain("CVE-2024-46981");
  expect(foundIn(factsOf(valkey("8.0.1")))!.cves).toContain("CVE-2024-46981");
  expect(foundIn(factsOf(valkey("8.0.2")))!.cves).not.toContain("CVE-2024-46981");
});

test.for<[string, string]>([
  ["7.0.14", "Redis 7.2.16"],
  ["6.0.16", "Redis 6.2.24"],
  ["8.0.6", "Redis 8.2.9"],
  // KeyDB's.
  ["6.3.4", "Redis 7.2.16"],
])("%s, of a line that gets no fixes any more, has to become %s", ([version, install]) => {
  const found = foundIn(factsOf(redis(version)))!;
  expect(found.install).toBe(install);
  expect(found.cves).toContain("CVE-2026-81934");
});

test.for<[string, Readonly<Record<string, string>>]>([
  ["the newest of an old line", redis("6.2.24")],
  ["a later one of a line", redis("7.2.17")],
  ["a line that is newer than the table", redis("8.12.0")],
  ["a major version that is newer than the table", redis("10.0.0")],
  ["a build of the sources", redis("255.255.255")],
  ["the newest Valkey of an old line", valkey("7.2.16")],
  ["a Valkey that is newer than the table", valkey("9.2.0")],
  [
    "another server that names a version of Redis, too",
    { ...redis("7.4.0"), dragonfly_version: "df-v1.30.0" },
  ],
  ["a service that mends its servers itself", { ...redis("7.1.0"), os: "Amazon ElastiCache" }],
  ["no version", {}],
  ["a version of another form", redis("unknown")],
])("nothing is found of %s", ([, fields]) => {
  expect(foundIn(factsOf(fields))).toBeUndefined();
});

test("a version that a distribution mends is found only where its scripts are as before the mending", () => {
  for (const fields of [redis("7.0.15"), redis("8.0.2"), valkey("8.1.1")]) {
    expect(foundIn(factsOf(fields))).toBeUndefined();
    expect(foundIn(factsOf(fields, false))!.cves).toEqual(expect.arrayContaining(SCRIPTS));
    const mended = factsOf(fields, true);
    expect(foundIn(mended)).toBeUndefined();
    expect(observe({ redis: mended }, EXPECTED)).toContainEqual({
      name: "security fixes",
      value: "by its distribution: keep the package up to date",
    });
  }
  // No distribution has these.
  expect(foundIn(factsOf(redis("7.0.14"), true))).toBeDefined();
});

test("each release of the table has the fix that it is listed for, and the release before it does not", () => {
  for (const [engine, fixes] of Object.entries(SECURITY_FIXES)) {
    for (const { cves, releases } of fixes) {
      for (const release of releases) {
        const [line, patch] = [release.replace(/\d+$/, ""), Number(/\d+$/.exec(release)![0])];
        const cvesOf = (number: number) =>
          foundIn(factsOf((engine === "redis" ? redis : valkey)(`${line}${number}`)))?.cves ?? [];
        expect(cvesOf(patch)).not.toEqual(expect.arrayContaining([...cves]));
        expect(cvesOf(patch - 1)).toEqual(expect.arrayContaining([...cves]));
      }
    }
  }
});

test("the doctor reads it from the INFO of a Redis, over the REST API and directly", async () => {
  const server = await deployRedis();
  const bridge = await deployBridge(server.url);
  const proxy = await startFaultProxy(bridge.url);
  onTestFinished(() => proxy.stop());
  proxy.fault = (exchange) =>
    exchange.body === '["INFO"]'
      ? answers(
          200,
          "application/json",
          '{"result":"# Server\\r\\nredis_version:7.2.5\\r\\n"}',
        )(exchange)
      : none(exchange);
  expect(await diagnose({ rest: { url: proxy.url, token: "test" } })).toEqual([
    expect.objectContaining({
      id: "redis-vulnerable",
      evidence: expect.stringContaining("it is Redis 7.2.5; ") as string,
    }),
  ]);
});
