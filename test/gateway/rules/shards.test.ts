import { expect, test } from "vitest";

import type { FaultCode } from "../../../src/options/errors.ts";
import { gatewayTo, quota, startOrigin } from "../../support/gateway/gateway.ts";
import { expectFault } from "../faults.ts";

const rulesOf = (shards: unknown, cost = 1) => [
  { path: "/*", partition: "*", cost, policies: [{ ...quota("all", 10), shards }] },
];

test("a rule's policy with shards admits its limit, and tells clients of all of it", async () => {
  const ask = gatewayTo((await startOrigin()).url, rulesOf(3));
  const statuses: number[] = [];
  for (let i = 0; i < 40; i++) {
    const { status, headers } = await ask("/");
    statuses.push(status);
    expect(headers.get("RateLimit-Policy")).toBe('"all";q=10;w=2592000');
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(10);
});

test.each<
  [shards: number, cost: number, path: string, value: string, code: FaultCode, says?: string]
>([
  [1, 1, "policies[0].shards", "1", "range"],
  [11, 1, "policies[0].shards", "11", "conflict", "at most 10"],
  [3, 4, "cost", "4", "conflict"],
])("%j shards and a cost of %j are a fault", (shards, cost, path, value, code, says) => {
  const variables = {
    ORIGIN: "https://origin.example",
    STORE: "memory",
    RULES: rulesOf(shards, cost),
  };
  expectFault(variables, `RULES[0].${path}`, value, code, says);
});
