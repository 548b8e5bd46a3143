import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { environmentsIn } from "../../packages/cli/src/check/in-wrangler-file.ts";
import { checkEnvironments } from "../../packages/cli/src/doctor/checks/environments.ts";
import { useGateway } from "./use-gateway.ts";

const on = useGateway();

const ORIGIN = "https://origin.example.com";
const ALONE = { env: { TIDEGATE_URL: "", UPSTASH_REDIS_REST_URL: "" } };
const REDIS = "https://one.upstash.io";

/** The doctor's findings in a file with these variables, by environment. */
function found(vars: object, env: Readonly<Record<string, object>>) {
  const environments = Object.entries(env).map(([name, own]) => [name, { vars: own }]);
  const text = JSON.stringify({ vars, env: Object.fromEntries(environments) });
  const finding = checkEnvironments(environmentsIn("wrangler.json", text));
  return finding ? [`${finding.severity}: ${finding.evidence}`] : [];
}

test.for<[string, vars: object, env: Record<string, object>, found: string[]]>([
  [
    "without a PREFIX, and a Redis that nobody knows",
    { ORIGIN },
    { preview: { ORIGIN } },
    ['note: vars and env.preview.vars have PREFIX "tg"'],
  ],
  [
    "where one says what is the default of the other",
    { ORIGIN, PREFIX: "tg", UPSTASH_REDIS_REST_URL: REDIS },
    { preview: { ORIGIN, KV_REST_API_URL: REDIS } },
    ['warning: vars and env.preview.vars have PREFIX "tg"'],
  ],
  [
    "where two of three are alike",
    { ORIGIN, PREFIX: "live" },
    { staging: { ORIGIN, PREFIX: "test" }, preview: { RULES: [], PREFIX: "test" } },
    ['note: env.staging.vars and env.preview.vars have PREFIX "test"'],
  ],
  [
    "of which one has a Redis that nobody knows",
    { ORIGIN, UPSTASH_REDIS_REST_URL: REDIS },
    { preview: { ORIGIN } },
    ['note: vars and env.preview.vars have PREFIX "tg"'],
  ],
  ["with a PREFIX each", { ORIGIN }, { preview: { ORIGIN, PREFIX: "preview" } }, []],
  [
    "with a Redis each",
    { ORIGIN, UPSTASH_REDIS_REST_URL: REDIS },
    { preview: { ORIGIN, UPSTASH_REDIS_REST_URL: "https://two.upstash.io" } },
    [],
  ],
  [
    "of which one counts elsewhere",
    { ORIGIN },
    { preview: { ORIGIN, STORE: "durable-object" }, local: { ORIGIN, STORE: "memory" } },
    [],
  ],
  ["of another worker", { LOG: "all" }, { preview: { LOG: "none" } }, []],
])("environments %s", ([, vars, env, expected]) => {
  expect(found(vars, env)).toEqual(expected);
});

test("a file of live rules has no environments, nor has one that cannot be read", () => {
  expect(environmentsIn("rules.json", JSON.stringify({ rules: [] }))).toEqual([]);
  expect(environmentsIn("wrangler.toml", "[vars")).toEqual([]);
});

test("the doctor reads them in a wrangler file, and says what to do", async () => {
  const section = (name: string) =>
    `[${name}]\nORIGIN = "${ORIGIN}"\nKV_REST_API_URL = "${REDIS}"\n`;
  writeFileSync(join(on.cwd, "wrangler.toml"), section("vars") + section("env.preview.vars"));
  const { out, exit } = await on.run(["doctor", "--config", "wrangler.toml"], ALONE);
  expect(exit).toBe(1);
  expect(out).toContain("warning: Environments of the worker share counts");
  expect(out).toContain('PREFIX = "preview" below [env.preview.vars]');
});

test("the doctor checks the values of a wrangler file, as rules check does", async () => {
  writeFileSync(
    join(on.cwd, "wrangler.toml"),
    `[vars]\nORIGIN = "${ORIGIN}"\n[[vars.RULES]]\npath = "/*"\npartition = ["x-key", "ip"]\npolicies = []\n`,
  );
  const { out, exit } = await on.run(["doctor", "--config", "wrangler.toml"], ALONE);
  expect(exit).toBe(1);
  expect(out).toContain(
    "(config-faults)\n  evidence: wrangler.toml:5:14: vars.RULES[0].partition[0]: ",
  );
  expect(out).toContain("and 1 more\n");
  expect(out).toContain("npx tidegate rules check wrangler.toml");
});

test.each([
  [
    "wrangler.toml",
    'name = "gateway"\nvars = {',
    "wrangler.toml:2:9: This is not TOML: unexpected token.",
  ],
  ["rules.json", "", "rules.json:1:1: Write a value here."],
  [
    "rules.json",
    '{ "rules": [{ "path": "/" }] }',
    "--config takes a wrangler file of a gateway, and rules.json has no vars with ORIGIN or RULES.",
  ],
  [
    "wrangler.toml",
    'name = "gateway"\nmain = "src/index.ts"',
    "--config takes a wrangler file of a gateway, and wrangler.toml has no vars with ORIGIN or RULES.",
  ],
])("the doctor does not find %s with %j sound", async (file, text, message) => {
  writeFileSync(join(on.cwd, file), text);
  const { out, err, exit } = await on.run(["doctor", "--config", file], ALONE);
  expect([out, err, exit]).toEqual(["", `error: ${message}\n`, 2]);
});
