import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { readDoctorOptions } from "../../../packages/cli/src/doctor-options.ts";
import type { Report } from "../../../packages/cli/src/doctor/finding.ts";
import { reportLines } from "../../../packages/cli/src/output/doctor-report.ts";
import { deployBridge, deployGateway, deployRedis, PATH } from "../../support/cli/deployment.ts";
import { tidegate } from "../../support/cli/run.ts";
import type { Run } from "../../support/run-here.ts";

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> {
  const unset = { UPSTASH_REDIS_REST_URL: undefined, UPSTASH_REDIS_REST_TOKEN: undefined };
  return tidegate(["doctor", ...args], { env: { ...unset, ...env } });
}

function tokenFile(token: string): string {
  const folder = mkdtempSync(join(tmpdir(), "doctor-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "token"), `${token}\n`);
  return join(folder, "token");
}

test("a sound deployment exits with 0, and prints the observations", async () => {
  const server = await deployRedis();
  const rest = await deployBridge(server.url);
  const url = await deployGateway(rest);
  const given = ["--rest-url", rest.url, "--rest-token-file", tokenFile(rest.token)];
  const common = `--url ${url} --path ${PATH} --limiter-timeout 5s`.split(" ");
  const { exit, out, err } = await run([...common, ...given]);
  expect({ exit, err }).toEqual({ exit: 0, err: "" });
  expect(out).toMatch(/^No findings\.\n/);
  expect(out).toContain("admin API            off");
  expect(out).toContain("maxmemory-policy     noeviction");
});

test("a finding exits with 1, as JSON too, and no token is printed", async () => {
  const server = await deployRedis("--maxmemory", "0");
  const rest = await deployBridge(server.url, { token: "a-secret-token" });
  const environment = {
    UPSTASH_REDIS_REST_URL: rest.url,
    UPSTASH_REDIS_REST_TOKEN: rest.token,
  };
  const table = await run(["--limiter-timeout", "5s"], environment);
  expect(table.exit).toBe(1);
  expect(table.out).toContain("(maxmemory-unset)");
  expect(table.out).toContain("\n1 warning\n");
  const json = await run(["--limiter-timeout", "5s", "--json"], environment);
  expect(json.exit).toBe(1);
  const { findings } = JSON.parse(json.out) as Report;
  expect(findings).toEqual([
    {
      id: "maxmemory-unset",
      severity: "warning",
      title: "Redis may take all memory of its machine",
      evidence: "maxmemory is 0",
      remedy: expect.stringMatching(/^Set maxmemory:/) as string,
    },
  ]);
  for (const { out, err } of [table, json]) expect(out + err).not.toContain(rest.token);
});

test.for<[args: string[], message: string]>([
  [[], "Give --url, --rest-url, --redis-url, --region-url or --config"],
  [["--url", "ftp://a"], "--url takes an address such as https://api.example.com"],
  [["--preview", "https://a", "--redis-url", "redis://a"], "--preview needs --url"],
  [["--preview", "a", "--url", "http://a"], "--preview takes an address such as https://preview"],
  [["--redis-url", "https://u:secret@a"], "--redis-url takes an address such as redis://"],
  [["--rest-url", "http://a"], "--rest-url needs --rest-token-file or UPSTASH_REDIS_REST_TOKEN"],
  [["--rest-token-file", "x", "--url", "http://a"], "--rest-token-file needs --rest-url"],
  [["--rest-url", "http://a", "--rest-token-file", "/nowhere"], "ENOENT"],
  [["--url", "http://a", "--path", "api"], '--path takes an escaped path that begins with "/"'],
  [["--url", "http://a", "--identity-header", "a b"], "--identity-header takes the name"],
  [["--url", "http://a", "--partitions", "0"], '--partitions takes a number from 1, not "0"'],
  [["--url", "http://a", "--limit", "-1"], "limit"],
  [["--url", "http://a", "--algorithm", "gcra"], "--algorithm takes one of token-bucket, "],
  [["--redis", "redis://a"], "unknown option '--redis'"],
])("%j is wrong usage, and says why", async ([args, message]) => {
  const { exit, out, err } = await run(args);
  expect({ exit, out }).toEqual({ exit: 2, out: "" });
  expect(err).toContain(message);
  expect(err).not.toContain("secret");
});

test("--help names every option, and is no error", async () => {
  const { exit, out } = await run(["--help"]);
  expect(exit).toBe(0);
  expect(out.match(/--[a-z-]+/g)).toEqual(expect.arrayContaining(["--rest-token-file", "--json"]));
});

test("options become those of the doctor; options not given are left out", () => {
  const given = {
    url: "https://a",
    preview: "https://b",
    redisUrl: "redis://a",
    partitions: "10",
    policies: "2",
    limit: "5",
    identityHeader: "X-Key",
    limiterTimeout: "1.5s",
  };
  expect(readDoctorOptions(given, {})).toEqual({
    url: "https://a",
    preview: "https://b",
    redisUrl: "redis://a",
    partitions: 10,
    policies: 2,
    limit: 5,
    identityHeader: "x-key",
    timeoutMs: 1500,
  });
});

test("the report has all of each finding, counts them by severity, and ends with the observations", () => {
  const finding = { id: "x:cf-connecting-ip", title: "T\u0007", evidence: "E", remedy: "R" };
  const lines = reportLines({
    findings: [
      { ...finding, severity: "error" },
      { ...finding, severity: "note" },
      { ...finding, severity: "note" },
    ],
    observations: [{ name: "role", value: "master" }],
  });
  const shown = ["T\\u0007 (x:cf-connecting-ip)", "  evidence: E", "  remedy:   R", ""];
  expect(lines.join("\n")).toBe(
    [
      `error: ${shown.join("\n")}`,
      `note: ${shown.join("\n")}`,
      `note: ${shown.join("\n")}`,
      "1 error, 2 notes",
      "",
      "seen  value",
      "role  master",
    ].join("\n"),
  );
});
