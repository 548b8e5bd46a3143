import { expect, test } from "vitest";

import { quota } from "../support/gateway/gateway.ts";
import { type MeteredGateway, meteredGateways } from "../support/metrics/metered-gateway.ts";

const RULES = [
  {
    path: "/api/*",
    partition: ["header:x-key"],
    policies: [
      quota("api", 5),
      quota("large", 100),
      { ...quota("address", 2), partition: ["ip"], mode: "shadow" },
    ],
  },
];

/** What `/explain` says of the policies that cover a request. */
async function explained({ api }: MeteredGateway, key: string, ip = "192.0.2.1") {
  const response = await api("/explain", { path: "/api/x", headers: { "x-key": key }, ip });
  const { rules } = (await response.json()) as {
    rules: { policies: { name: string; deniedLastHour?: number }[] }[];
  };
  expect(response.status).toBe(200);
  return rules.flatMap(({ policies }) =>
    policies.map(({ name, deniedLastHour }) => [name, deniedLastHour]),
  );
}

test("explain asks for the cost of the request, and takes nothing", async () => {
  const gateways = await meteredGateways([
    { path: "/api/*", partition: ["ip"], cost: { api: 3 }, policies: [quota("api", 5)] },
    { path: "/free/*", partition: ["ip"], cost: 0, policies: [quota("free", 5)] },
  ]);
  const { ask, administered } = gateways.open();
  const said = async (path: string) => {
    const { verdict, rules } = await administered.explain({ path, ip: "192.0.2.1" });
    const policies = rules.flatMap((rule) => rule.policies);
    return [verdict, ...policies.map(({ remaining, allowed }) => `${remaining} ${allowed}`)];
  };
  expect(await said("/api/x")).toEqual(["allowed", "5 true"]);
  expect((await ask("/api/x")).status).toBe(200);
  // Two units are left: enough for a request that costs one, and not for this one.
  for (let i = 0; i < 2; i++) expect(await said("/api/x")).toEqual(["denied", "2 false"]);
  expect((await ask("/api/x")).status).toBe(429);
  expect(await said("/free/x")).toEqual(["allowed", "5 true"]);
});

test("explain says how often each policy denied the client in the last hour, in all isolates", async () => {
  const gateways = await meteredGateways(RULES);
  const [one, other] = [gateways.open(), gateways.open()];
  const ask = async (gateway: MeteredGateway, times: number) => {
    for (let i = 0; i < times; i++) {
      await gateway.ask("/api/x", "192.0.2.1", { headers: { "x-key": "ada" } });
    }
  };
  await ask(one, 7);
  await ask(other, 3);
  await other.flush();
  // Of ten requests five had room. A policy in shadow denies no request.
  expect(await explained(one, "ada")).toEqual([
    ["api", 5],
    ["large", 0],
    ["address", 0],
  ]);
  const [slot] = await gateways.redis.keys(gateways.keys.top("denied", 0).replace(/\d+$/, "*"));
  await gateways.redis.copy(slot!, gateways.keys.top("denied", Date.now() - 2 * 3_600_000));
  expect((await explained(one, "ada"))[0]).toEqual(["api", 5]);
  expect(await explained(one, "bob", "192.0.2.77")).toEqual([
    ["api", 0],
    ["large", 0],
    ["address", 0],
  ]);
});

test("explain says nothing of denials where none are counted, and explains without them where they cannot be read", async () => {
  const gateways = await meteredGateways(RULES);
  const off = gateways.open({ METRICS: "off" });
  expect(await explained(off, "ada")).toEqual([
    ["api", undefined],
    ["large", undefined],
    ["address", undefined],
  ]);
  const one = gateways.open();
  const nowMs = Date.now();
  const slots = [nowMs - 600_000, nowMs, nowMs + 600_000].map((ms) =>
    gateways.keys.top("denied", Math.floor(ms / 600_000) * 600_000),
  );
  for (const slot of slots) await gateways.redis.set(slot, "planted");
  expect(await explained(one, "ada")).toEqual([
    ["api", undefined],
    ["large", undefined],
    ["address", undefined],
  ]);
  await gateways.redis.del(...slots);
});
