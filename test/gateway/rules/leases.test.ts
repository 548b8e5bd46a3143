import { expect, test } from "vitest";

import { readConfig } from "../../../src/gateway/config/config.ts";
import { EVERY_GATEWAY_FEATURE } from "../../../src/gateway/every-feature.ts";

const everyone = {
  algorithm: "token-bucket",
  name: "everyone",
  partition: "*",
  limit: 1_000,
  refill: 1_000,
  per: "1s",
  lease: "100ms",
};
const perClient = { algorithm: "fixed-window", name: "client", limit: 10, window: "1m" };

function settingsOf(policies: readonly object[], variables: object = {}) {
  return readConfig(
    {
      ORIGIN: "https://origin.example",
      STORE: "memory",
      CLIENT_IP: "cloudflare",
      RULES: [{ path: "/*", policies, ...("PLANS" in variables && { plan: "header:x-plan" }) }],
      ...variables,
    },
    {},
    EVERY_GATEWAY_FEATURE,
  ).ruleset.settings;
}

test("a policy of a rule has a lease of its own, and is tightened for it", () => {
  const { policies } = settingsOf([everyone, perClient]);
  expect(policies.map(({ leaseUs }) => leaseUs)).toEqual([100_000, undefined]);
  expect(policies.map(({ limit }) => limit)).toEqual([900, 10]);
});

test("it is tightened under every plan, too", () => {
  const PLANS = { gold: { everyone: { limit: 2_000, refill: 2_000 } } };
  const gold = settingsOf([everyone, perClient], { PLANS }).plans.get("gold")!;
  expect(gold.map(({ limit }) => limit)).toEqual([1_800, 10]);
});

test("a plan that leaves too little beside the lease is a fault", () => {
  const PLANS = { bronze: { everyone: { limit: 199 } } };
  expect(() => settingsOf([everyone, perClient], { PLANS })).toThrow(
    /PLANS\.bronze\.everyone: .*: Raise the limit or the window/s,
  );
  const silver = { PLANS: { silver: { everyone: { limit: 200 } } } };
  expect(() => settingsOf([everyone, perClient], silver)).not.toThrow();
});
