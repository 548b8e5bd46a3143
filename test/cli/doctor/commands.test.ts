import { expect, test } from "vitest";

import { rulesIn } from "../../../packages/cli/src/check/in-wrangler-file.ts";
import { countCommands } from "../../../packages/cli/src/doctor/gather/commands.ts";
import type { RedisFacts } from "../../../packages/cli/src/doctor/gather/redis-facts.ts";
import { observe } from "../../../packages/cli/src/doctor/observe.ts";
import type { CountingAlgorithm } from "../../../src/policy/policy.ts";
import { ALGORITHMS } from "../../support/policy/options-of.ts";
import { decisionCommands } from "../../support/store/decision-commands.ts";
import { testRedis } from "../../support/test-redis.ts";

const redis = testRedis();
const client = {
  evalsha: (sha1: string, keys: string[], args: string[]) =>
    redis.evalsha(sha1, keys.length, ...keys, ...args),
  eval: (script: string, keys: string[], args: string[]) =>
    redis.eval(script, keys.length, ...keys, ...args),
};

const RULES: readonly (readonly CountingAlgorithm[])[] = [
  ...ALGORITHMS.map((algorithm) => [algorithm]),
  ["token-bucket", "fixed-window"],
  ["sliding-window-log", "sliding-window-log"],
  ALGORITHMS,
  Array.from({ length: 16 }, () => "fixed-window"),
];

test("the commands that a Redis counts are those of the formula, and no key is left", async () => {
  const prefix = crypto.randomUUID();
  const rules = RULES.map((algorithms, i) => ({ name: `rule ${i}`, algorithms }));
  const counted = await countCommands(client as never, prefix, "redis", rules);
  expect(counted.map(({ name: _name, ...commands }) => commands)).toEqual(
    RULES.map(decisionCommands),
  );
  expect(counted.map(({ name }) => name)).toEqual(rules.map(({ name }) => name));
  expect(await redis.keys(`${prefix}*`)).toEqual([]);
});

test("one policy is 4 commands to allow and 3 to deny, n are n + 3, and a log is one more beside others", () => {
  const commandsOf = (...algorithms: CountingAlgorithm[]) => decisionCommands(algorithms);
  expect(commandsOf("fixed-window")).toEqual({ allowed: 4, denied: 3 });
  expect(commandsOf("sliding-window-log")).toEqual({ allowed: 4, denied: 3 });
  expect(commandsOf("token-bucket", "fixed-window")).toEqual({ allowed: 5, denied: 3 });
  expect(commandsOf("token-bucket", "sliding-window-log")).toEqual({ allowed: 6, denied: 4 });
});

test("a decision has a price where it is billed, and none on a Redis of one's own", () => {
  const commands = [{ name: "rules[0]", allowed: 4, denied: 3 }];
  const costOf = (dialect?: "redis" | "upstash") => {
    const facts: RedisFacts = {
      through: "rest",
      address: new URL("https://redis.example.com"),
      roundTripsMs: [1],
      config: new Map(),
      commands,
      ...(dialect && { dialect }),
    };
    const seen = observe({ redis: facts }, { timeoutMs: 250, keyspaceBytes: undefined });
    return seen.find(({ name }) => name === "cost of rules[0]")?.value;
  };
  const billed = "4 commands to allow, 3 to deny; a million: $8 and $6 on Upstash, pay as you go";
  expect([costOf("upstash"), costOf()]).toEqual([billed, billed]);
  expect(costOf("redis")).toBe("4 commands to allow, 3 to deny; a Redis of your own bills none");
});

test("the rules of a wrangler file are counted by their policies, and those without any are left out", () => {
  const bucket = { algorithm: "token-bucket", limit: 5, refill: 1, per: "1s" };
  const vars = (rules: unknown) =>
    JSON.stringify({ vars: { ORIGIN: "https://a.test", RULES: rules } });
  const rules = [
    { path: "/a", policies: [bucket, { algorithm: "fixed-window", limit: 1, window: "1h" }] },
    { path: "/b", policies: [] },
    { path: "/c", policies: [{ algorithm: "leaky" }] },
    "no rule",
  ];
  const found = [{ name: "vars.RULES[0]", algorithms: ["token-bucket", "fixed-window"] }];
  expect(rulesIn("wrangler.json", vars(rules))).toEqual(found);
  expect(rulesIn("wrangler.json", vars(JSON.stringify(rules)))).toEqual(found);
  expect(rulesIn("wrangler.json", vars("{"))).toEqual([]);
});
