import { expect, test } from "vitest";

import { readConfig } from "../../../src/gateway/config/config.ts";
import { compileRuleset } from "../../../src/gateway/rules/ruleset.ts";
import { Faults } from "../../../src/options/faults.ts";
import { storeOver } from "../../../src/store/memory-store.ts";
import { createMemory } from "../../../src/store/memory.ts";

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

function configOf(policies: readonly object[], variables: object = {}) {
  return readConfig(
    {
      ORIGIN: "https://origin.example",
      STORE: "memory",
      CLIENT_IP: "cloudflare",
      RULES: [{ path: "/*", policies, ...("PLANS" in variables && { plan: "header:x-plan" }) }],
      ...variables,
    },
    {},
  );
}

const settingsOf = (...of: Parameters<typeof configOf>) => configOf(...of).ruleset.settings;

test("under a plan that leaves too little beside the lease, its dimension has none, and Redis decides", () => {
  const PLANS = { bronze: { everyone: { limit: 199 } }, silver: { everyone: { limit: 200 } } };
  const burst = { ...everyone, name: "burst" };
  const { policies, plans } = settingsOf([everyone, burst, perClient], { PLANS });
  const shown = (list: typeof policies) => list.map(({ leaseUs, limit }) => [leaseUs, limit]);
  const [leased, other, client] = shown(policies);
  expect(shown(plans.get("silver")!)).toEqual([[100_000, 100], other, client]);
  // All policies of a dimension are leased together. The other one stays as tight: clients without the plan lease from its key.
  expect(shown(plans.get("bronze")!)).toEqual([[undefined, 199], [undefined, 900], client]);
  expect([leased, other]).toEqual([
    [100_000, 900],
    [100_000, 900],
  ]);
});

test("units that clients without the plan have leased, and spend late, do not come on top of a limit that the plan leaves as it is", () => {
  const burst = { ...everyone, name: "burst" };
  const PLANS = { bronze: { everyone: { limit: 199 } } };
  const { policies, plans } = settingsOf([everyone, burst], { PLANS });
  let nowUs = 1.8e15;
  const store = storeOver(createMemory(), () => nowUs);
  const leased = 100;
  store.decide("charge", ["burst"], [leased], [policies[1]!]);
  // The last moment at which they may be spent.
  nowUs += 100_000;
  const { rows } = store.decide("peek", ["burst"], [1], [plans.get("bronze")![1]!]);
  expect(leased + rows[0]!.remaining).toBe(1_000);
});

test.each([
  ["auto", 31],
  ["auto", 3],
  ["100ms", 1],
])("with the lease %j, an override may bring a client down to a bucket of %i", (lease, limit) => {
  const { ruleset } = configOf([{ ...everyone, partition: ["ip"], lease }]);
  const policies = { everyone: { limit, refill: 1 } };
  const faults = new Faults();
  const data = { ...ruleset.data, overrides: [{ identity: "x-user-id:mal", policies }] };
  const { overrides } = compileRuleset(data, configOf([everyone]).defaults, faults, ruleset)!;
  expect(faults.list).toEqual([]);
  const [table] = [...overrides.tables.values()];
  expect(table!.policies.map((policy) => [policy.leaseUs, policy.limit])).toEqual([
    [undefined, limit],
  ]);
});
