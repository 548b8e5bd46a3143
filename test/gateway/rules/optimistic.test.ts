import { afterEach, expect, test, vi } from "vitest";

import { createGateway } from "../../../src/gateway.ts";
import { readConfig } from "../../../src/gateway/config/config.ts";
import { EVERY_GATEWAY_FEATURE } from "../../../src/gateway/every-feature.ts";
import { ConfigurationError } from "../../../src/index.ts";

const api = {
  algorithm: "token-bucket",
  name: "api",
  limit: 10,
  refill: 10,
  per: "1s",
  optimistic: { unsettled: 2 },
};
const ahead = {
  algorithm: "fixed-window",
  name: "day",
  limit: 100,
  window: "1d",
  optimistic: true,
};

const variables = (rules: readonly object[]) => ({
  ORIGIN: "https://origin.example",
  STORE: "memory",
  CLIENT_IP: "cloudflare",
  RULES: rules,
});
const settingsOf = (...rules: object[]) =>
  readConfig(variables(rules), {}, EVERY_GATEWAY_FEATURE).ruleset.settings;

afterEach(() => vi.unstubAllGlobals());

test("rules have it, also under plans", () => {
  const { policies } = settingsOf({ path: "/*", policies: [api, ahead] });
  expect(policies.map(({ optimistic }) => optimistic)).toEqual([
    { unsettled: 2, above: 0.5 },
    { unsettled: 1, above: 0.5 },
  ]);
});

test.each([
  [{ path: "/*", policies: [{ ...api, optimistic: false }] }, /optimistic: .*Use true/s],
  [{ path: "/*", policies: [{ ...api, mode: "shadow" }] }, /optimistic: .*mode: "shadow"/s],
  [{ path: "/*", policies: [api], cost: 3 }, /cost: 3.*unsettled/s],
  [{ path: "/*", policies: [api, ahead], cost: { day: 2 } }, /cost\.day: 2.*unsettled/s],
])("a rule that cannot have it is refused: %#", (rule, message) => {
  expect(() => settingsOf(rule)).toThrow(ConfigurationError);
  expect(() => settingsOf(rule)).toThrow(message);
});

test("a rule costs at most as many units as may be unsettled", () => {
  const { policies } = settingsOf({ path: "/*", policies: [api], cost: 2 });
  expect(policies).toHaveLength(1);
});

test("a gateway answers ahead of its store", async () => {
  vi.stubGlobal("fetch", async () => new Response("from the origin"));
  const strict = { ...api, name: "strict", optimistic: undefined };
  for (const [policy, remaining] of [
    [api, ["9", "8", "7"]],
    [strict, ["9", "8", "7"]],
  ] as const) {
    const gateway = createGateway(variables([{ path: "/*", policies: [policy] }]));
    for (const left of remaining) {
      const request = new Request("https://api.example.com/", {
        headers: { "CF-Connecting-IP": "203.0.113.7" },
      });
      const response = await gateway.fetch(request);
      expect(response.headers.get("X-RateLimit-Remaining")).toBe(left);
    }
  }
});

test("rules of which one lets them wait are decided by the store", () => {
  const shadow = { ...ahead, name: "trial", mode: "shadow", optimistic: undefined };
  const { policies } = settingsOf(
    { path: "/*", policies: [api] },
    { path: "/**/files", policies: [shadow] },
  );
  expect(policies.map(({ optimistic }) => optimistic !== undefined)).toEqual([true, false]);
});
