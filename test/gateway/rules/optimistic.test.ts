import { afterEach, expect, test, vi } from "vitest";

import { readConfig } from "../../../src/gateway/config/config.ts";
import { ConfigurationError } from "../../../src/index.ts";
import { gatewayTo, quota, startOrigin } from "../../support/gateway/gateway.ts";

const api = {
  algorithm: "token-bucket",
  name: "api",
  limit: 10,
  refill: 10,
  per: "1s",
  optimistic: { unsettled: 2 },
};
const ahead = { ...quota("day", 100), optimistic: true };

function settingsOf(...RULES: object[]) {
  const variables = {
    ORIGIN: "https://origin.example",
    STORE: "memory",
    CLIENT_IP: "cloudflare",
    RULES,
  };
  return readConfig(variables, {}).ruleset.settings;
}

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

test("a gateway answers ahead of its store", async () => {
  const origin = await startOrigin();
  const ask = gatewayTo(origin.url, [{ path: "/*", policies: [api] }]);
  for (const left of ["9", "8", "7"]) {
    expect((await ask("/")).headers.get("X-RateLimit-Remaining")).toBe(left);
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
